"""What people do, in one line each: open a batch, sit down, take the next HIT, submit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotation.flow import assigning, batching, joining, submitting
from annotation.flow.importing import import_dataset
from annotation.flow.submitting import Receipt
from annotation.models import Assignment, Batch, Dataset, Hit, Project, Seat, User, Worker
from tests.conftest import answer_to, write_records


def newcomer(project: Project, name: str) -> Worker:
    user = User.objects.create_user(name, password=None)
    return Worker.objects.create(project=project, user=user, consented_version=project.consent_version)


def seat_of(worker: Worker, batch: Batch) -> Seat:
    """The worker's seat, with the guide read."""
    seat = assigning.sit_down(worker, batch)
    joining.read_guide(seat, version=batch.guide.version)
    return Seat.objects.select_related("batch").get(pk=seat.pk)


def take(worker: Worker, batch: Batch) -> Assignment | None:
    return assigning.claim(seat_of(worker, batch))


def submit(
    assignment: Assignment, answer: dict[str, Any] | None = None, *, key: str = "0.form", base: int = 0
) -> Receipt:
    """Submit an answer, by default a right one to a record of `tests.conftest.records`."""
    given = answer_to(assignment) if answer is None else answer
    return submitting.submit(assignment, given, key=key, base=base, active_seconds=12.5)


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
    return batching.create_batch(project, name, task="answer", datasets=datasets, guide="Read.", **settings)


def launched(project: Project, name: str, *datasets: Dataset, **settings: Any) -> Batch:
    made = draft(project, name, *datasets, **settings)
    batching.launch(made)
    return made
