"""What follows from an answer to an item with gold, in the transaction that stores it."""

from __future__ import annotations

from datetime import datetime

from annotation.flow import attempts, checking, cutting
from annotation.models import Answer, Assignment, Batch, Hit, Round
from annotation.pure.cuts import Cut
from annotation.registry import task_type
from annotation.tasktype import JSON


def concerns(row: Assignment, hit: Hit) -> bool:
    """Whether anything follows; nothing does for an ordinary HIT of production."""
    return hit.check_item or row.batch.purpose == Batch.Purpose.QUALIFICATION


def grade(row: Assignment, hit: Hit, answer: JSON) -> None:
    """Keep the grade of an answer to hidden gold, or of one in a round, and apply the batch's rule, or the round's."""
    round = attempts.round_of(row.batch)
    if hit.check_item or (round is not None and round.judgment == Round.Judgment.GOLD):
        value = task_type(row.batch.task).grade(hit.payload, answer, hit.item.example)
        Assignment.objects.filter(pk=row.pk).update(grade=value)
    if hit.check_item:
        checking.judge(row)
    elif round is not None:
        attempt = attempts.latest(round, row.worker_id)
        if attempt is not None:
            attempts.settle(attempt)


def is_final(row: Assignment) -> bool:
    """Whether an answer can no longer be changed because its attempt is over: what came out is known by then."""
    round = attempts.round_of(row.batch)
    return round is not None and attempts.is_closed_to(round, row)


def agreements(batch: Batch, worker: int) -> list[float]:
    """How far each of the worker's answers agrees with the others' to the same HIT, 0..1, in the order in which
    they came; HITs that nobody else answered say nothing, and what the report leaves out does not count here either.
    """
    return [share for _when, share in agreements_by_time(batch, worker)]


def agreements_by_time(batch: Batch, worker: int) -> list[tuple[datetime, float]]:
    """The same with the times of the worker's submissions."""
    task = task_type(batch.task)
    counted = cutting.assignments_in(batch, Cut(counted=True), batch.assignments.submitted())
    mine = counted.filter(worker=worker)
    rows = list(mine.select_related("hit").order_by("submitted_at", "pk"))
    said: dict[int, list[tuple[int, JSON]]] = {row.hit_id: [] for row in rows}
    latest = Answer.objects.filter(assignment__hit__in=list(said), assignment__in=counted)
    for given in latest.select_related("assignment").order_by("revision"):
        if given.revision == given.assignment.revision:
            said[given.assignment.hit_id].append((given.assignment.worker_id, given.answer))
    found: list[tuple[datetime, float]] = []
    for row in rows:
        own = [answer for whose, answer in said[row.hit_id] if whose == worker]
        others = [answer for whose, answer in said[row.hit_id] if whose != worker]
        if own and others:
            share = sum(1 - task.differences(row.hit.payload, [own[0], one]) for one in others) / len(others)
            found.append((row.submitted_at, share))
    return found
