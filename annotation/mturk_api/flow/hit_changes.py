"""Changes of a HIT of the MTurk API: extend, expire, review status, type, delete.

Lock order: batch, HIT, listing, accounts; changes of a HIT's assignments lock those first. Rows are locked with
`no_key`, because a ledger entry about a batch checks the batch's key at commit, after the accounts are locked.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.work import leases
from annotation.models import Assignment, Batch, Hit, Item, Participation, clock
from annotation.mturk_api.flow import hit_creation, hit_funds, notifications
from annotation.mturk_api.models import HitType, Listing
from annotation.pure.batches import lifecycle
from annotation.pure.mturk import hit_status

SAME = timedelta(seconds=1)  # tolerance, as the API rounds times
LONGEST = timedelta(days=365)
MOST_PLACES = 10**9


class WrongHitState(Refused):
    """The HIT is in the state `where`, not in one of `allowed`."""

    def __init__(self, where: str, *allowed: str) -> None:
        self.where, self.allowed = where, allowed
        super().__init__(_("This is not possible while the HIT is %(state)s.") % {"state": where})


class TooMany(Refused):
    """The HIT would have too many assignments."""


def status_of(listing: Listing) -> str:
    """HITStatus of a listing from `hit_funds.with_hit_state`."""
    return hit_status.status(hit_funds.state_of(listing))


def _locked(listing: Listing, *batches: int) -> Listing:
    """The listing, locked with its HIT and its batch, and with other batches."""
    wanted = {listing.hit.batch_id, *batches}
    # Batch, HIT, listing: the lock order; batches by key, as two calls may exchange types.
    list(Batch.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk").values_list("pk"))
    list(Hit.objects.select_for_update(no_key=True).filter(pk=listing.hit_id).values_list("pk"))
    row = hit_funds.with_hit_state(
        Listing.objects.select_for_update(of=("self",), no_key=True).filter(pk=listing.pk)
    ).get()
    if row.hit.batch_id not in wanted:  # its type was changed meanwhile
        raise WrongHitState(status_of(row))
    return row


def _lock_work(listing: Listing) -> None:
    """Lock the HIT's assignments and participations, which come before batches and HITs in the lock order."""
    assignments = Assignment.objects.select_for_update(no_key=True).filter(hit=listing.hit_id).order_by("pk")
    workers = list(assignments.values_list("worker", flat=True))
    participations = Participation.objects.select_for_update(of=("self",), no_key=True).filter(worker__in=workers)
    list(participations.filter(batch__hit_type__isnull=False).order_by("pk").only("pk"))


@transaction.atomic
def add_assignments(listing: Listing, more: int) -> None:
    """Add assignments. Raises WrongHitState, TooMany and Overdrawn."""
    row = _locked(listing)
    if row.deleted_at is not None:
        raise WrongHitState(status_of(row), hit_status.ASSIGNABLE, hit_status.UNASSIGNABLE, hit_status.REVIEWABLE)
    total = row.hit.wanted + more
    if total > MOST_PLACES or not hit_status.may_reach(row.first_places, total):
        raise TooMany(_("A HIT created with fewer than 10 assignments cannot be extended to 10 or more."))
    leases.reopen_hit(row.hit_id, wanted=F("wanted") + more)
    Listing.objects.filter(pk=row.pk).update(reviewing=False, extended_at=Now())
    hit_funds.settle(row.hit_id)
    notifications.record_event(notifications.EXTENDED, row.hit)


@transaction.atomic
def expire_at(listing: Listing, at: datetime) -> None:
    """Set when the HIT expires; a past time ends it now. Raises WrongHitState, Refused and Overdrawn.

    The time can only be extended, except for ending the HIT.
    """
    row = _locked(listing)
    if row.deleted_at is not None:
        raise WrongHitState(status_of(row), hit_status.ASSIGNABLE, hit_status.UNASSIGNABLE, hit_status.REVIEWABLE)
    if at <= clock.now():
        if not row.expired:
            Hit.objects.filter(pk=row.hit_id).update(closes_at=Now())
    else:
        _prolong(row, at)
    hit_funds.settle(row.hit_id)


def _prolong(row: Listing, at: datetime) -> None:
    until = row.hit.closes_at
    if not row.expired and until is not None and at < until - SAME:
        raise Refused(
            _("The expiration of a HIT cannot be moved to an earlier time except now: give a time in the past.")
        )
    if at > clock.now() + LONGEST + SAME:
        raise Refused(_("A HIT cannot expire more than 31536000 seconds from now."))
    if until is not None and abs(at - until) <= SAME:
        return
    leases.reopen_hit(row.hit_id, closes_at=at)
    Listing.objects.filter(pk=row.pk).update(reviewing=False, extended_at=Now())
    notifications.record_event(notifications.EXTENDED, row.hit)


@transaction.atomic
def review(listing: Listing, *, reviewing: bool) -> None:
    """Mark a Reviewable HIT as Reviewing, or the other way round. Raises WrongHitState."""
    row = _locked(listing)
    if status_of(row) not in {hit_status.REVIEWABLE, hit_status.REVIEWING}:
        raise WrongHitState(status_of(row), hit_status.REVIEWING if not reviewing else hit_status.REVIEWABLE)
    Listing.objects.filter(pk=row.pk).update(reviewing=reviewing)


@transaction.atomic
def delete(listing: Listing) -> None:
    """Delete a HIT whose submitted assignments are all decided. Raises WrongHitState."""
    row = _locked(listing)
    deletable = {hit_status.REVIEWABLE, hit_status.REVIEWING}
    if status_of(row) not in deletable or hit_funds.undecided(row.hit).exists():
        raise WrongHitState(status_of(row), hit_status.REVIEWING, hit_status.REVIEWABLE)
    Listing.objects.filter(pk=row.pk).update(deleted_at=Now())
    hit_funds.settle(row.hit_id)
    notifications.record_event(notifications.DISPOSED, row.hit)


@transaction.atomic
def change_type(listing: Listing, hit_type: HitType) -> None:
    """Give a HIT the terms of another type. Raises WrongHitState, Overdrawn, and Refused for a lower reward.

    Workers with assignments keep the promised reward.
    """
    new = hit_type.batch
    _lock_work(listing)
    row = _locked(listing, new.pk)
    old, hit = row.hit.batch, row.hit
    if row.deleted_at is not None:
        raise WrongHitState(status_of(row), hit_status.ASSIGNABLE, hit_status.UNASSIGNABLE, hit_status.REVIEWABLE)
    if old.pk == new.pk:
        return
    if new.reward < hit.reward and (hit.live or hit_funds.undecided(hit).exists()):
        raise Refused(_("Workers are working on this HIT for a higher reward, so it cannot change to this HIT type."))
    ledger.release(old, row.held, key=f"listing/{row.pk}/{row.moves}")
    Listing.objects.filter(pk=row.pk).update(held=0, moves=F("moves") + 1)
    _move(hit, old, new)
    hit_funds.settle(hit.pk)


def _move(hit: Hit, old: Batch, new: Batch) -> None:
    """Move a HIT with its assignments into another batch, at the end of its queue."""
    Batch.objects.filter(pk=old.pk).update(size=F("size") - 1)
    ticket = hit_creation.take_ticket(new.pk)
    Item.objects.filter(pk=hit.item_id).update(dataset=hit_creation.dataset_of(new), position=ticket)
    Hit.objects.filter(pk=hit.pk).update(batch=new, reward=new.reward, ticket=ticket)
    rows = Assignment.objects.filter(hit=hit)
    for worker, state, at in rows.order_by("worker").values_list("worker", "state", "submitted_at"):
        participation, _made = Participation.objects.get_or_create(batch=new, worker_id=worker)
        if state == lifecycle.SUBMITTED:
            # moves made by older versions did not update the count
            counted = Participation.objects.filter(batch=old, worker=worker, done__gt=0)
            counted.update(done=F("done") - 1)
            last = max(filter(None, [participation.worked_at, at]))
            Participation.objects.filter(pk=participation.pk).update(done=F("done") + 1, worked_at=last)
    rows.update(batch=new)
