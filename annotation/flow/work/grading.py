"""Grading of responses to hidden gold and in rounds, in the transaction that stores them."""

from datetime import datetime

from annotation.flow.batches import hidden_gold, hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.people import round_attempts
from annotation.models import Assignment, Batch, Hit, QualificationRound, WorkerResponse
from annotation.registry import task_type
from annotation.tasktype import JSON


def grade(row: Assignment, hit: Hit, answer: JSON) -> None:
    """Store the grade of a response to hidden gold or in a round, and apply the batch's or the round's rule."""
    round = round_attempts.round_of(row.batch)
    if hit.check_item or (round is not None and round.grading == QualificationRound.Grading.GOLD):
        value = task_type(row.batch.task).grade(hit.payload, answer, hit.item.example)
        Assignment.objects.filter(pk=row.pk).update(grade=value)
    if hit.check_item:
        hidden_gold.judge(row)
    elif round is not None:
        attempt = round_attempts.latest(round, row.worker_id)
        if attempt is not None:
            round_attempts.settle(attempt)


def is_final(row: Assignment) -> bool:
    """Whether a response can no longer be changed, because its attempt is over and the worker knows the result."""
    round = round_attempts.round_of(row.batch)
    return round is not None and round_attempts.is_closed_to(round, row)


def agreements(batch: Batch, worker: int) -> list[float]:
    """Agreement of each of the worker's responses with the others' to the same HIT, 0..1, in order of submission.

    HITs without other responses and HITs excluded from the report are left out.
    """
    return [share for _when, share in agreements_by_time(batch, worker)]


def agreements_by_time(batch: Batch, worker: int) -> list[tuple[datetime, float]]:
    """The same as (time of submission, agreement)."""
    task = task_type(batch.task)
    counted = hit_filters.assignments_in(batch, BatchPart(counted=True), batch.assignments.submitted())
    own_assignments = counted.filter(worker=worker)
    rows = list(own_assignments.select_related("hit").order_by("submitted_at", "pk"))
    answers: dict[int, list[tuple[int, JSON]]] = {row.hit_id: [] for row in rows}
    latest = WorkerResponse.objects.filter(assignment__hit__in=list(answers), assignment__in=counted)
    for given in latest.select_related("assignment").order_by("revision"):
        if given.revision == given.assignment.revision:
            answers[given.assignment.hit_id].append((given.assignment.worker_id, given.answer))
    found: list[tuple[datetime, float]] = []
    for row in rows:
        own = [answer for worker_id, answer in answers[row.hit_id] if worker_id == worker]
        others = [answer for worker_id, answer in answers[row.hit_id] if worker_id != worker]
        each = [task.differences(row.hit.payload, [own[0], one]) for one in others] if own else []
        known = [1 - differing for differing in each if differing is not None]
        if known and row.submitted_at:
            found.append((row.submitted_at, sum(known) / len(known)))
    return found
