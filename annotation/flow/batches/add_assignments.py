"""Adding assignments to HITs that have all they asked for."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Min, QuerySet
from django.utils.translation import gettext as _

from annotation.events import AssignmentsAdded, emit
from annotation.flow.batches.batch_launch import CHUNK, OnProgress
from annotation.flow.data.item_writer import no_progress
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger
from annotation.flow.people import round_attempts
from annotation.flow.projects import audit_log
from annotation.models import Batch, Hit
from annotation.registry import task_type


def add_assignments(
    batch: Batch, *, base: int, only_disagreeing: bool = False, progress: OnProgress = no_progress
) -> dict[str, Any]:
    """Add one assignment to each finished HIT, or to those whose responses disagree.

    `base` is the batch's next ticket when this was requested: HITs that have a ticket from there on already got one by
    an earlier, interrupted run. Returns {"hits": how many got one}. Raises Overdrawn, before adding any, if the budget
    does not cover them all.
    """
    if round_attempts.round_of(batch) is not None:
        raise Refused(_("In a qualification round everybody gets their own items, so no assignments can be added."))
    if batch.by_program:
        raise Refused(_("Another program created these HITs through the MTurk API and adds assignments itself."))
    standing = Hit.objects.filter(batch=batch, excluded_at__isnull=True, check_item=False)
    finished = standing.filter(room=0, live=0, ticket__lt=base)
    keys = list(finished.order_by("ticket").values_list("pk", flat=True))
    if only_disagreeing:
        keys = [pk for pk in keys if _disagree(pk)]
    _check_budget(batch, [finished.filter(pk__in=keys[k : k + CHUNK]) for k in range(0, len(keys), CHUNK)])
    count = 0
    for start in range(0, len(keys), CHUNK):
        count += ask_again(batch, finished.filter(pk__in=keys[start : start + CHUNK]))
        progress(min(start + CHUNK, len(keys)), len(keys))
    if count:
        audit_log.record("topped up", batch, hits=count)
    emit(AssignmentsAdded(batch))
    return {"hits": count}


def _check_budget(batch: Batch, chunks: Iterable[QuerySet[Hit]]) -> None:
    batch_funds.covered(batch)
    more = sum((batch_funds.for_more(batch, hits) for hits in chunks), Decimal(0))
    there = ledger.balance(batch.project, ledger.AVAILABLE)
    if more > there:
        raise ledger.Overdrawn(more, there)


@transaction.atomic
def ask_again(batch: Batch, hits: QuerySet[Hit]) -> int:
    """Let HITs take another assignment, with tickets beyond every cursor; returns how many. Raises Overdrawn."""
    # Lock: tickets must be unique, and higher than tickets given to HITs at the same time.
    end = Batch.objects.select_for_update(no_key=True).values_list("next_ticket", flat=True).get(pk=batch.pk)
    stretch = hits.aggregate(first=Min("ticket"), last=Max("ticket"))
    if stretch["first"] is None:
        return 0
    more = batch_funds.for_more(batch, hits)
    Batch.objects.filter(pk=batch.pk).update(next_ticket=end + stretch["last"] - stretch["first"] + 1)
    count = hits.update(wanted=F("wanted") + 1, ticket=F("ticket") + end - stretch["first"])
    ledger.hold(batch, more, key=f"more/{batch.pk}/{end}")
    return count


def _disagree(hit_id: int) -> bool:
    hit = Hit.objects.select_related("batch").get(pk=hit_id)
    assignments = hit.assignments.submitted().blind().prefetch_related("responses")
    answers = [a.current.answer for a in assignments if a.current]  # without erased ones
    return bool(task_type(hit.batch.task).differences(hit.payload, answers))
