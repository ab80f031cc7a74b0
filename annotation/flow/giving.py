"""Giving chosen HITs to chosen workers, who get them before any other of the batch; and taking them back.

A given HIT asks for one answer more as soon as its worker takes it, so it keeps no place from anybody and is never
over-allocated. What that may cost is set aside when it is given. A place that the worker gives back is offered to
everybody, as every other place is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.flow import attempts, recording, reserving
from annotation.flow.offering import ALIVE_OR_DONE, counts_as_met
from annotation.flow.refusal import Refused
from annotation.models import Assignment, Batch, Given, Hit, User, Worker
from annotation.pure import lifecycle
from annotation.registry import task_type

MOST = 5000  # HITs times workers at once
HAD, MET, VOIDED, ALREADY = "had", "met", "voided", "already"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many were given, and why others were not: {HAD, MET, VOIDED or ALREADY: how many}."""

    given: int
    skipped: Counter[str] = field(default_factory=Counter)


def people(batch: Batch) -> QuerySet[Worker]:
    """Who can be given HITs of the batch: those who may work on it, with an account, and are not blocked."""
    able = Q(active=True, user__isnull=False, block__isnull=True)
    chosen = Q(chosen_for=batch) if batch.workers.exists() else Q()
    return batch.project.workers.filter(able & chosen).select_related("user").order_by("pk")


def check(batch: Batch) -> None:
    """Raises Refused for a batch whose HITs cannot be given to somebody."""
    if not task_type(batch.task).launched or batch.connection_id:
        raise Refused(_("Who gets these HITs is decided where they are published."))
    if attempts.round_of(batch) is not None:
        raise Refused(_("In a round everybody gets their own items, so there is nothing to give."))
    if batch.state not in {Batch.State.OPEN, Batch.State.PAUSED}:
        raise Refused(_("Only HITs of a batch that is open or paused can be given to somebody."))


def allowed(batch: Batch) -> bool:
    """Whether HITs of the batch can be given to somebody now."""
    try:
        check(batch)
    except Refused:
        return False
    return True


@transaction.atomic
def give(batch: Batch, hits: Sequence[Hit], workers: Collection[Worker], *, user: User | None = None) -> Outcome:
    """Let each worker get each of these HITs next, in their order; what cannot be theirs is skipped and counted.

    Raises Refused for a batch that does not allow it, and Overdrawn where the budget does not cover it.
    """
    if not hits or not workers:
        raise Refused(_("Choose at least one HIT and one worker."))
    if len(hits) * len(workers) > MOST:
        raise Refused(_("That are too many at once: at most %(most)s.") % {"most": MOST})
    Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
    batch.refresh_from_db(fields=["state", "gives"])
    check(batch)
    skipped: Counter[str] = Counter()
    rows = []
    for worker in workers:
        for hit, hindered in _hindered(batch, worker, hits):
            if hindered:
                skipped[hindered] += 1
            else:
                rows.append(Given(batch=batch, hit=hit, worker=worker, created_by=user))
    if rows:
        Given.objects.bulk_create(rows)
        Batch.objects.filter(pk=batch.pk).update(gives=True)
        batch.gives = True
        reserving.level(batch)
        recording.record("gave", batch, hits=len(hits), workers=len(workers), number=len(rows))
    return Outcome(len(rows), skipped)


def _hindered(batch: Batch, worker: Worker, hits: Sequence[Hit]) -> list[tuple[Hit, str]]:
    """Each HIT with why the worker cannot be given it, or nothing."""
    mine = Assignment.objects.filter(worker=worker, group_key__in={hit.group_key for hit in hits})
    had, met = set(), set()
    for hit_id, group, where, state in mine.values_list("hit", "group_key", "batch", "state"):
        had.add(hit_id)
        if state in ALIVE_OR_DONE and counts_as_met(batch, where):
            met.add(group)
    already = set(Given.objects.filter(worker=worker, batch=batch).values_list("hit", flat=True))

    def reason(hit: Hit) -> str:
        if hit.voided_at is not None or hit.check_item:
            return VOIDED
        if hit.pk in had:
            return HAD
        return ALREADY if hit.pk in already else MET if hit.group_key in met else ""

    return [(hit, reason(hit)) for hit in hits]


@transaction.atomic
def take_back(batch: Batch, keys: Collection[int]) -> int:
    """Undo `give` for those rows whose workers did not take them yet, and free their money; returns how many."""
    waiting = Given.objects.filter(batch=batch, pk__in=keys, taken_at__isnull=True)
    gone, _by_model = waiting.delete()
    if gone:
        reserving.covered(batch)
        recording.record("took back", batch, number=gone)
    return gone


def rows(batch: Batch) -> QuerySet[Given]:
    """What was given in the batch, the last first."""
    found = Given.objects.filter(batch=batch).select_related("hit__item", "worker__project", "created_by")
    return found.defer("hit__payload", "hit__item__content").order_by("-pk")


def states(some: Collection[Given]) -> dict[int, str]:
    """{row: "waiting", or the state of its assignment (annotation.pure.lifecycle)}."""
    pairs = Assignment.objects.filter(hit__in=[row.hit_id for row in some], worker__in=[row.worker_id for row in some])
    found: dict[tuple[Any, Any], str] = {
        (hit, worker): state for hit, worker, state in pairs.values_list("hit", "worker", "state")
    }
    gone = lifecycle.RETURNED  # its assignment was erased with its worker
    return {row.pk: found.get((row.hit_id, row.worker_id), gone) if row.taken_at else "waiting" for row in some}
