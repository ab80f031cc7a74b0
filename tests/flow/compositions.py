"""A batch of compositions and workers who compose: what the tests of reading answers begin with."""

from __future__ import annotations

from typing import Any

from annotation.flow.batches import batch_launch
from annotation.flow.work import next_assignment, submissions
from annotation.models import Assignment, Batch, Worker
from tests.batches import create_batch


def compose_batch(project: Any, dataset: Any, name: str = "compositions", *, each: int = 2) -> Batch:
    """An open `compose` batch over the dataset, whose HITs all workers meet in one order."""
    made = create_batch(
        project,
        name,
        task="compose",
        datasets=[dataset],
        instructions="Compose.",
        assignments_per_hit=each,
        fresh_only=False,
        same_order=True,
    )
    batch_launch.launch(made)
    return made


def composed(question: str, *, edges: int = 1) -> dict[str, Any]:
    """An answer at rest to a graph of so many edges."""
    return {"bridges": ["same"] * edges, "why": "", "question": question, "overrides": {}, "pasted": 0.0}


def compose(worker: Worker, batch: Batch, question: str = "") -> Assignment:
    """The worker takes the next HIT and submits a composition."""
    participation = next_assignment.join_batch(worker, batch)
    next_assignment.read_instructions(participation, version=batch.instructions.version)
    assignment = next_assignment.claim(next_assignment.join_batch(worker, batch))
    assert assignment is not None
    words = question or f"Which tower stands beside the well of HIT {assignment.hit_id}?"
    answer = composed(words, edges=len(assignment.hit.payload["edges"]))
    submissions.submit(assignment, answer, key=f"0.{assignment.pk}", base=0, active_seconds=30)
    assignment.refresh_from_db()
    return assignment


def change(assignment: Assignment, question: str) -> None:
    """The worker sends another revision."""
    base = assignment.revision
    submissions.submit(assignment, composed(question), key=f"{base}.{assignment.pk}", base=base, active_seconds=40)
    assignment.refresh_from_db()
