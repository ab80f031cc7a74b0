"""What a rehearsal came to: every answer is graded, priced, and forecast from."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from annotation.flow import approving, ledger
from annotation.models import Assignment, Attempt
from annotation.pure import lifecycle, rehearsing
from annotation.registry import task_type
from annotation.rehearsal.acting import Play, asked_of


def outcome(play: Play, *, wanted: int, seed: int) -> dict[str, Any]:
    """The forecast as JSON, with the requests that it took; {"error"} where nobody answered anything."""
    done = list(_done(play))
    passed = [bool(attempt.passed) for attempt in Attempt.objects.filter(passed__isnull=False)]
    counts = {"returned": play.returned, "abandoned": play.abandoned, "refused": play.refused}
    try:
        found = rehearsing.forecast(
            done, asked=max(1, asked_of(play.batch)), wanted=wanted, seed=seed, passed=passed, **counts
        )
    except ValueError as nothing:
        return {"error": str(nothing)}
    requests = sum(player.browser.requests for player in play.players)
    return {**rehearsing.as_json(found), "requests": requests, "people": len(play.players)}


def _done(play: Play) -> Iterator[rehearsing.Done]:
    task = task_type(play.batch.task)
    rows = Assignment.objects.filter(batch=play.batch, state=lifecycle.SUBMITTED, hit__check_item=False)
    for row in rows.select_related("hit__item", "batch__project", "batch__connection"):
        if row.pk not in play.times or row.current is None:
            continue
        began, ended = play.times[row.pk]
        earned = approving.earned(row) if row.batch.auto_approval is not None else Decimal(0)
        yield rehearsing.Done(
            worker=row.worker_id,
            item=row.hit_id,
            grade=task.grade(row.hit.payload, row.current.answer, row.hit.item.example),
            began=began,
            ended=ended,
            earned=earned,
            fee=ledger.fee_on(row.batch, "reward", earned, assignments=row.hit.wanted),
        )
