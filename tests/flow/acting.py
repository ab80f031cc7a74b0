"""What people do, in one line each: open a batch, sit down, take the next HIT, submit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.work import next_assignment, submissions
from annotation.flow.work.submissions import Receipt
from annotation.models import Assignment, Batch, Dataset, Hit, Participation, Project, User, Worker
from tests.batches import create_batch
from tests.conftest import answer_to, write_records


def newcomer(project: Project, name: str) -> Worker:
    user = User.objects.create_user(name, password=None)
    return Worker.objects.create(project=project, user=user, consented_version=project.consent_version)


def participation_of(worker: Worker, batch: Batch) -> Participation:
    """The worker's seat, with the guide read."""
    participation = next_assignment.join_batch(worker, batch)
    next_assignment.read_instructions(participation, version=batch.instructions.version)
    return Participation.objects.select_related("batch").get(pk=participation.pk)


def take(worker: Worker, batch: Batch) -> Assignment | None:
    return next_assignment.claim(participation_of(worker, batch))


def submit(
    assignment: Assignment, answer: dict[str, Any] | None = None, *, key: str = "0.form", base: int = 0, **going_on: Any
) -> Receipt:
    """Submit an answer, by default a right one to a record of `tests.conftest.records`."""
    given = answer_to(assignment) if answer is None else answer
    return submissions.submit(assignment, given, key=key, base=base, active_seconds=12.5, **going_on)


def answer_all(worker: Worker, batch: Batch, *, most: int = 1000) -> list[Hit]:
    """Let the worker answer until nothing is left for them; the HITs in the order in which they came."""
    came = []
    while len(came) < most and (assignment := take(worker, batch)):
        submit(assignment)
        came.append(assignment.hit)
    return came


def dataset_of(project: Project, folder: Path, *, name: str, size: int) -> Dataset:
    """A dataset of `size` invented records."""
    import_dataset(project, write_records(folder / f"{name}.jsonl", size), format="jsonl", name=name)
    return project.datasets.get(slug=name)


def draft(project: Project, name: str, *datasets: Dataset, **settings: Any) -> Batch:
    return create_batch(project, name, task="answer", datasets=datasets, instructions="Read.", **settings)


def launched(project: Project, name: str, *datasets: Dataset, **settings: Any) -> Batch:
    made = draft(project, name, *datasets, **settings)
    batch_launch.launch(made)
    return made


def disputed(project: Project, name: str, dataset: Dataset, *, right: Worker, wrong: Worker) -> Batch:
    """An open batch in which one worker answered every item as gold does, and another did not."""
    batch = launched(project, name, dataset, assignments_per_hit=2)
    answer_all(right, batch)
    while row := take(wrong, batch):
        submit(row, answer_to(row) | {"kind": "typed", "text": "the far shore"})
    return batch
