"""Topping up: one more annotation for HITs that have all that they asked for."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Min, QuerySet
from django.utils.translation import gettext as _

from annotation.flow import attempts, ledger, publishing, recording, reserving
from annotation.flow.batching import CHUNK, Told
from annotation.flow.filling import silent
from annotation.flow.refusal import Refused
from annotation.models import Batch, Hit, HitType
from annotation.registry import task_type


def top_up(batch: Batch, *, base: int, only_disagreeing: bool = False, tell: Told = silent) -> dict[str, Any]:
    """Ask for one more annotation of each finished HIT, or of those whose answers disagree.

    `base` is the batch's next ticket when the wish was made: HITs that already have a ticket from there on
    were topped up by an earlier, interrupted run. Returns {"hits": how many now want one more}. Raises Overdrawn,
    before any is asked for, when the budget does not cover them all.
    """
    if attempts.round_of(batch) is not None:
        raise Refused(_("In a round everybody gets their own items, so there is nothing to top up."))
    if HitType.objects.filter(batch=batch).exists():
        raise Refused(_("Another program made these HITs, and asks for more assignments itself."))
    standing = Hit.objects.filter(batch=batch, voided_at__isnull=True, check_item=False)
    finished = standing.filter(room=0, live=0, ticket__lt=base)
    keys = list(finished.order_by("ticket").values_list("pk", flat=True))
    if only_disagreeing:
        keys = [pk for pk in keys if _disagree(pk)]
    _check_budget(batch, [finished.filter(pk__in=keys[k : k + CHUNK]) for k in range(0, len(keys), CHUNK)])
    asked = 0
    for start in range(0, len(keys), CHUNK):
        asked += _ask_again(batch, finished.filter(pk__in=keys[start : start + CHUNK]))
        tell(min(start + CHUNK, len(keys)), len(keys))
    if asked:
        recording.record("topped up", batch, hits=asked)
    publishing.hurry(batch)
    return {"hits": asked}


def _check_budget(batch: Batch, chunks: Iterable[QuerySet[Hit]]) -> None:
    reserving.covered(batch)
    more = sum((reserving.for_more(batch, hits) for hits in chunks), Decimal(0))
    there = ledger.balance(batch.project, ledger.AVAILABLE)
    if more > there:
        raise ledger.Overdrawn(more, there)


@transaction.atomic
def _ask_again(batch: Batch, hits: QuerySet[Hit]) -> int:
    """Give HITs one place more, and tickets beyond every cursor that a worker has by now; returns how many."""
    end = Batch.objects.select_for_update(no_key=True).values_list("next_ticket", flat=True).get(pk=batch.pk)
    stretch = hits.aggregate(first=Min("ticket"), last=Max("ticket"))
    if stretch["first"] is None:
        return 0
    more = reserving.for_more(batch, hits)
    Batch.objects.filter(pk=batch.pk).update(next_ticket=end + stretch["last"] - stretch["first"] + 1)
    asked = hits.update(wanted=F("wanted") + 1, ticket=F("ticket") + end - stretch["first"])
    ledger.hold(batch, more, key=f"more/{batch.pk}/{end}")
    return asked


def _disagree(hit_id: int) -> bool:
    hit = Hit.objects.select_related("batch").get(pk=hit_id)
    assignments = hit.assignments.submitted().prefetch_related("answers")
    answers = [a.current.answer for a in assignments]
    return task_type(hit.batch.task).differences(hit.payload, answers) > 0
