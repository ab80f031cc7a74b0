"""A batch of compositions and workers who compose: what the tests of reading answers begin with."""

from __future__ import annotations

from typing import Any

from annotation.flow import assigning, batching, joining, submitting
from annotation.models import Assignment, Batch, Worker


def compose_batch(project: Any, dataset: Any, name: str = "compositions", *, each: int = 2) -> Batch:
    """An open `compose` batch over the dataset."""
    made = batching.create_batch(
        project, name, task="compose", datasets=[dataset], guide="Compose.", assignments_per_hit=each, fresh_only=False
    )
    batching.launch(made)
    return made


def composed(question: str, *, edges: int = 1) -> dict[str, Any]:
    """An answer at rest to a graph of so many edges."""
    return {"bridges": ["same"] * edges, "why": "", "question": question, "overrides": {}, "pasted": 0.0}


def compose(worker: Worker, batch: Batch, question: str = "") -> Assignment:
    """The worker takes the next HIT and submits a composition."""
    seat = assigning.sit_down(worker, batch)
    joining.read_guide(seat, version=batch.guide.version)
    assignment = assigning.claim(assigning.sit_down(worker, batch))
    assert assignment is not None
    words = question or f"Which tower stands beside the well of HIT {assignment.hit_id}?"
    answer = composed(words, edges=len(assignment.hit.payload["edges"]))
    submitting.submit(assignment, answer, key=f"0.{assignment.pk}", base=0, active_seconds=30)
    assignment.refresh_from_db()
    return assignment


def change(assignment: Assignment, question: str) -> None:
    """The worker sends another revision."""
    base = assignment.revision
    submitting.submit(assignment, composed(question), key=f"{base}.{assignment.pk}", base=base, active_seconds=40)
    assignment.refresh_from_db()
