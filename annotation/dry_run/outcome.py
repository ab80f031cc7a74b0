"""The outcome of a dry run: graded and priced responses, and the forecast."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from annotation.dry_run import forecast
from annotation.dry_run.simulated_workers import Simulation, assignments_requested
from annotation.flow.money import ledger
from annotation.flow.review import assignment_approval
from annotation.models import Assignment, Attempt, Hit
from annotation.pure.batches import lifecycle
from annotation.registry import task_type
from annotation.tasktype import TaskType


def outcome(play: Simulation, *, wanted: int, seed: int) -> dict[str, Any]:
    """The forecast as JSON, with the number of requests; {"error"} without responses."""
    done = list(_done(play))
    passed = [bool(attempt.passed) for attempt in Attempt.objects.filter(passed__isnull=False)]
    counts = {"returned": play.returned, "abandoned": play.abandoned, "refused": play.refused}
    try:
        found = forecast.forecast(
            done, asked=max(1, assignments_requested(play.batch)), wanted=wanted, seed=seed, passed=passed, **counts
        )
    except ValueError as nothing:
        return {"error": str(nothing)}
    requests = sum(worker.browser.requests for worker in play.workers)
    return {**forecast.as_json(found), "requests": requests, "people": len(play.workers)}


def _grade(task: TaskType, hit: Hit, answer: Any) -> float | None:
    """The response's grade; None where its item has no gold to grade by."""
    gold = hit.item.example
    return task.grade(hit.payload, answer, gold) if task.gradable(hit.payload, gold) else None


def _done(play: Simulation) -> Iterator[forecast.SimulatedResponse]:
    task = task_type(play.batch.task)
    rows = Assignment.objects.filter(batch=play.batch, state=lifecycle.SUBMITTED, hit__check_item=False)
    for row in rows.select_related("hit__item", "batch__project"):
        if row.pk not in play.times or row.current is None:
            continue
        began, ended = play.times[row.pk]
        earned = assignment_approval.earned(row) if row.batch.auto_approval is not None else Decimal(0)
        yield forecast.SimulatedResponse(
            worker=row.worker_id,
            item=row.hit_id,
            grade=_grade(task, row.hit, row.current.answer),
            began=began,
            ended=ended,
            earned=earned,
            fee=ledger.fee_on(row.batch, "reward", earned, assignments=row.hit.wanted),
        )
