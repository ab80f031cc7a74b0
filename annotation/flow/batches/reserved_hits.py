"""Reserving chosen HITs for chosen workers, who get them before any other of the batch; and cancelling that.

A reserved HIT asks for one more response as soon as its worker takes it, so nobody else loses an assignment. Its cost
is set aside when it is reserved. If the worker returns it, the assignment is offered to everybody.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds
from annotation.flow.people import round_attempts
from annotation.flow.projects import audit_log
from annotation.flow.work.met_groups import closed_groups
from annotation.models import Assignment, Batch, Hit, ReservedHit, User, Worker
from annotation.pure.batches import lifecycle
from annotation.registry import task_type

MOST = 5000  # HITs times workers in one request
HAD, MET, EXCLUDED, ALREADY = "had", "met", "excluded", "already"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The number of reserved HITs, and the numbers of skipped ones by reason: HAD, MET, EXCLUDED or ALREADY."""

    reserved: int
    skipped: Counter[str] = field(default_factory=Counter)


def people(batch: Batch) -> QuerySet[Worker]:
    """Workers for whom HITs can be reserved: allowed in the batch, with an account, not blocked."""
    chosen = Q(chosen_for=batch) if batch.workers.exists() else Q()
    able = batch.project.workers.with_account().filter(chosen, block__isnull=True)
    return able.select_related("user").order_by("pk")


def check(batch: Batch) -> None:
    """Raise Refused for a batch whose HITs cannot be reserved."""
    if not task_type(batch.task).launched or batch.on_marketplace:
        raise Refused(_("The marketplace decides who gets these HITs."))
    if round_attempts.round_of(batch) is not None:
        raise Refused(_("In a qualification round everybody gets their own items, so HITs cannot be assigned."))
    if batch.state not in {Batch.State.OPEN, Batch.State.PAUSED}:
        raise Refused(_("HITs can be assigned to a worker only while the batch is open or paused."))


def allowed(batch: Batch) -> bool:
    """Whether HITs of the batch can be reserved now."""
    with suppress(Refused):
        check(batch)
        return True
    return False


@transaction.atomic
def reserve(batch: Batch, hits: Sequence[Hit], workers: Collection[Worker], *, user: User | None = None) -> Outcome:
    """Reserve each of these HITs for each worker, in their order; impossible ones are skipped and counted.

    Raises Refused for a batch that does not allow it, and Overdrawn if the budget does not cover it.
    """
    if not hits or not workers:
        raise Refused(_("Choose at least one HIT and one worker."))
    if len(hits) * len(workers) > MOST:
        raise Refused(_("Too many at once: at most %(most)s are allowed.") % {"most": MOST})
    # Lock: the batch may be closed at the same time; the money for it goes back then.
    Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
    batch.refresh_from_db(fields=["state", "has_reserved_hits", "has_group_parts"])
    check(batch)
    skipped: Counter[str] = Counter()
    rows = []
    for worker in workers:
        for hit, hindered in _hindered(batch, worker, hits):
            if hindered:
                skipped[hindered] += 1
            else:
                rows.append(ReservedHit(batch=batch, hit=hit, worker=worker, created_by=user))
    if rows:
        ReservedHit.objects.bulk_create(rows)
        Batch.objects.filter(pk=batch.pk).update(has_reserved_hits=True)
        batch.has_reserved_hits = True
        batch_funds.adjust_hold(batch)
        audit_log.record("gave", batch, hits=len(hits), workers=len(workers), number=len(rows))
    return Outcome(len(rows), skipped)


def _hindered(batch: Batch, worker: Worker, hits: Sequence[Hit]) -> list[tuple[Hit, str]]:
    """Each HIT with the reason why it cannot be reserved for the worker, or ""."""
    had = set(Assignment.objects.filter(worker=worker, hit__in=hits).values_list("hit", flat=True))
    met = closed_groups(worker.pk, batch, {hit.group_key for hit in hits})
    already = set(ReservedHit.objects.filter(worker=worker, batch=batch).values_list("hit", flat=True))

    def reason(hit: Hit) -> str:
        if hit.excluded_at is not None or hit.check_item:
            return EXCLUDED
        if hit.pk in had:
            return HAD
        return ALREADY if hit.pk in already else MET if hit.group_key in met else ""

    return [(hit, reason(hit)) for hit in hits]


@transaction.atomic
def release(batch: Batch, keys: Collection[int]) -> int:
    """Cancel reservations that were not taken yet, and release their money; returns how many."""
    waiting = ReservedHit.objects.filter(batch=batch, pk__in=keys, taken_at__isnull=True)
    gone, _by_model = waiting.delete()
    if gone:
        batch_funds.covered(batch)
        audit_log.record("took back", batch, number=gone)
    return gone


def rows(batch: Batch) -> QuerySet[ReservedHit]:
    """The batch's reservations, latest first."""
    found = ReservedHit.objects.filter(batch=batch).select_related("hit__item", "worker__project", "created_by")
    return found.defer("hit__payload", "hit__item__content").order_by("-pk")


def states(some: Collection[ReservedHit]) -> dict[int, str]:
    """{row: "waiting", or the state of its assignment (annotation.pure.batches.lifecycle)}."""
    pairs = Assignment.objects.filter(hit__in=[row.hit_id for row in some], worker__in=[row.worker_id for row in some])
    found = {(hit, worker): state for hit, worker, state in pairs.values_list("hit", "worker", "state")}
    gone = lifecycle.RETURNED  # the assignment was erased with its worker
    return {row.pk: found.get((row.hit_id, row.worker_id), gone) if row.taken_at else "waiting" for row in some}
