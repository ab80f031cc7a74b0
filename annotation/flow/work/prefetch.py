"""The worker's next HIT, prefetched: its place is held while their browser loads it, so that it follows at once."""

from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from annotation.flow.work import next_assignment, open_work
from annotation.models import Assignment, Batch, Hit, Participation, PrefetchedHit, clock
from annotation.registry import task_type
from annotation.tasktype import Revealing, SecondOpinion

LASTS = timedelta(seconds=60)
ACTIVE = timedelta(minutes=10)


def applies(batch: Batch) -> bool:
    """Whether HITs of the batch may be held at all; no query.

    Not where the next HIT is chosen for a person, by what the last response says, or by another program; nor where
    another page follows a response.
    """
    chosen = batch.check_share or batch.has_reserved_hits or batch.purpose == Batch.Purpose.QUALIFICATION
    if chosen or batch.on_marketplace or batch.by_program:
        return False
    task = task_type(batch.task)
    return task.launched and not isinstance(task, SecondOpinion | Revealing)


@transaction.atomic
def hold(participation: Participation) -> PrefetchedHit | None:
    """Hold the HIT that comes after the worker's assignment under way, for a minute from now.

    The same HIT again if one is held. None where none may be held, and near the end of a batch, whose last HITs are
    for those who can begin at once.
    """
    if not applies(participation.batch):
        return None
    [participation] = next_assignment.locked(participation.worker_id, participation.batch_id)
    own = PrefetchedHit.objects.filter(batch=participation.batch_id, worker=participation.worker_id)
    until = Now() + LASTS
    if own.update(expires_at=until):
        return own.select_related("hit").get()
    if participation.batch.state != Batch.State.OPEN or _is_nearly_done(participation.batch):
        return None
    for found in open_work.candidates(participation, ahead=True):
        if next_assignment.take_place(found.hit.pk, found.hit.batch_id):
            if not found.passed_over:
                Participation.objects.filter(pk=participation.pk).update(cursor=found.hit.ticket)
            own.create(batch=participation.batch, worker=participation.worker, hit=found.hit, expires_at=until)
            return own.select_related("hit").get()
    return None


def to_come(held: PrefetchedHit, under_way: Assignment) -> Assignment:
    """The assignment that a held HIT becomes when the one under way is submitted; not saved."""
    batch = under_way.batch
    return Assignment(
        public_id=held.public_id,
        batch=batch,
        hit=held.hit,
        worker=under_way.worker,
        seed=held.seed,
        active_seconds=0.0,
        lease_until=clock.now() + timedelta(seconds=batch.lease_seconds),
    )


def _is_nearly_done(batch: Batch) -> bool:
    """Whether the batch has at most twice as many open HITs as workers who submitted in the last ten minutes."""
    active = Participation.objects.filter(batch=batch, worked_at__gt=Now() - ACTIVE).count()
    few = 2 * max(1, active)
    return not Hit.objects.open().filter(batch=batch, check_item=False).order_by("ticket")[few : few + 1].exists()


def let_go_overdue() -> None:
    """Free the places of HITs that were held for too long: a sweep."""
    next_assignment.let_go(expires_at__lt=Now())
