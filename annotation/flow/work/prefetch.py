"""The worker's next HIT, prefetched: its place is held while their browser loads it, so that it follows at once."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import islice
from statistics import median

from django.core.cache import cache as kept
from django.db import transaction
from django.db.models import Count, QuerySet
from django.db.models.functions import Now

from annotation.flow.work import next_assignment, open_work
from annotation.models import Assignment, Batch, Hit, Participation, PrefetchedHit, clock
from annotation.models.compiled import compiled, insert
from annotation.pure.batches import lifecycle
from annotation.registry import task_type
from annotation.tasktype import Revealing, SecondOpinion

LASTS = timedelta(seconds=60)
ACTIVE = timedelta(minutes=10)
QUICK = timedelta(seconds=45)
ENOUGH = 5  # responses for a median; before, the expected time counts
KEPT = timedelta(seconds=5)  # by the database's clock
FAR = 50  # this many open HITs, and twice as many again as there are workers, are not had within KEPT
NEVER = datetime.min.replace(tzinfo=UTC)


def applies(batch: Batch) -> bool:
    """Whether HITs of the batch may be held at all; no query.

    Not where the next HIT, or how it starts, is chosen for a person, by what the last response says, or by another
    program; nor where another page follows a response.
    """
    chosen = batch.check_share or batch.suggest or batch.has_reserved_hits
    if chosen or batch.purpose == Batch.Purpose.QUALIFICATION or batch.on_marketplace or batch.by_program:
        return False
    task = task_type(batch.task)
    return task.launched and not isinstance(task, SecondOpinion | Revealing)


@transaction.atomic
def hold(participation: Participation) -> PrefetchedHit | None:
    """Hold the HIT that comes after the worker's assignment under way, for a minute from now.

    The same HIT again if one is held. None where none may be held, where the worker may have no more, and near the end
    of a batch, whose last HITs are for those who can begin at once.
    """
    if not applies(participation.batch):
        return None
    next_assignment.lock(participation)
    for held in _held(participation.worker_id, participation.batch_id):
        until = renew(participation.worker_id, participation.batch_id, held.public_id)
        held.expires_at = until or held.expires_at
        return held if until else None
    return hold_another(participation)


def hold_another(participation: Participation) -> PrefetchedHit | None:
    """As `hold` for a worker who holds none, in a transaction that has locked the participation; never waits."""
    batch = participation.batch
    if (
        batch.state != Batch.State.OPEN
        or _is_nearly_done(batch.pk)
        or open_work.room_for(participation.worker_id, batch) == 0
    ):
        return None
    # The first or none: if it is only locked, the worker's cursor must not pass it.
    for found in islice(open_work.candidates(participation, ahead=True), 1):
        for hit in next_assignment.take_free_slot(found.hit.pk, batch.pk):
            keys = {"batch_id": batch.pk, "worker_id": participation.worker_id, "hit": hit}
            return insert(PrefetchedHit(**keys, cursor=found.cursor, expires_at=clock.now() + LASTS))
    return None


def renew(worker: int, batch: int, public_id: str) -> datetime | None:
    """Hold a HIT for a minute from now, as `hold` does, if it is still held; until when, or None."""
    if _is_nearly_done(batch):
        return None
    until = clock.now() + LASTS
    held = PrefetchedHit.objects.filter(worker=worker, batch=batch, public_id=public_id)
    return until if held.update(expires_at=until) else None


def is_quick(batch: Batch) -> bool:
    """Whether half of the batch's items take less than QUICK, by the latest responses; counted once a minute."""
    key = f"quick/{batch.pk}/{batch.created_at.isoformat()}"
    return bool(kept.get_or_set(key, lambda: _seconds(batch) < QUICK.total_seconds(), 60))


def _seconds(batch: Batch) -> float:
    latest = [seconds for (seconds,) in _latest(batch.pk)]
    return median(latest) if len(latest) >= ENOUGH else batch.expected_seconds


@compiled
def _latest(batch: int) -> QuerySet[Assignment, tuple[float]]:
    rows = Assignment.objects.filter(batch=batch, state=lifecycle.SUBMITTED, submitted_at__isnull=False)
    return rows.filter(active_seconds__gt=0).order_by("-submitted_at").values_list("active_seconds")[:50]


@compiled
def _held(worker: int, batch: int) -> QuerySet[PrefetchedHit]:
    return PrefetchedHit.objects.filter(worker=worker, batch=batch).select_related("hit")


def to_come(held: PrefetchedHit, participation: Participation) -> Assignment:
    """The assignment that a held HIT becomes when the worker's one under way is submitted; not saved."""
    batch = participation.batch
    return Assignment(
        public_id=held.public_id,
        batch=batch,
        hit=held.hit,
        worker=participation.worker,
        seed=held.seed,
        active_seconds=0.0,
        lease_until=batch.lease_end,
    )


_far_at: dict[int, datetime] = {}  # by batch: when this process last found it far from its end


def _is_nearly_done(batch: int) -> bool:
    """Whether the batch has at most twice as many open HITs as workers who submitted in the last ten minutes.

    A batch with so many that this cannot change meanwhile is not looked at again for KEPT.
    """
    now = clock.now()
    if timedelta(0) <= now - _far_at.get(batch, NEVER) < KEPT:
        return False
    few = 2 * max(1, sum(count for (count,) in _active(batch)))
    more = _open_after(few)(batch)
    if len(more) == few + FAR:
        _far_at[batch] = now
    return not more


@compiled
def _active(batch: int) -> QuerySet[Participation, tuple[int]]:
    rows = Participation.objects.filter(batch=batch, worked_at__gt=Now() - ACTIVE).order_by()
    return rows.values("batch").annotate(active=Count("pk")).values_list("active")


@lru_cache(maxsize=256)
def _open_after(few: int) -> Callable[[int], list[tuple[int]]]:
    @compiled
    def more(batch: int) -> QuerySet[Hit, tuple[int]]:
        hits = Hit.objects.open().filter(batch=batch, check_item=False).order_by("ticket")
        return hits.values_list("pk")[few : 2 * few + FAR]

    return more


def let_go_overdue() -> None:
    """Free the places of HITs that were held for too long: a sweep, which locks no two HITs at once."""
    overdue = PrefetchedHit.objects.filter(expires_at__lt=Now()).order_by("pk")
    for held in list(overdue.values_list("pk", flat=True)[:500]):
        next_assignment.let_go(pk=held, expires_at__lt=Now())
