"""What a requester does with a HIT of MTurk's protocol afterwards: extend it, end it, mark it, move it, delete it.

Lock order: batch, HIT, listing, accounts; what moves a HIT's assignments locks those first. Rows are locked without
their keys, because whoever writes an entry about a batch touches its key when it commits, after the accounts.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import assigning, holding, ledger, notifying
from annotation.flow.listing import item_for
from annotation.flow.refusal import Refused
from annotation.models import Assignment, Batch, Hit, HitType, Listing, Seat, clock
from annotation.pure import hit_status, lifecycle

SAME = timedelta(seconds=1)  # times of the protocol go to and fro rounded
LONGEST = timedelta(days=365)
MOST_PLACES = 10**9


class WrongHitState(Refused):
    """The HIT is in the state `where`; it would have to be in one of `allowed`."""

    def __init__(self, where: str, *allowed: str) -> None:
        self.where, self.allowed = where, allowed
        super().__init__(_("This HIT is %(state)s, so this cannot be done to it.") % {"state": where})


class TooMany(Refused):
    """A HIT cannot come to ask for so many assignments."""


def status_of(listing: Listing) -> str:
    """HITStatus of a listing from `holding.standing`."""
    return hit_status.status(holding.stand(listing))


def _locked(listing: Listing, *batches: int) -> Listing:
    """The listing as it stands, locked with its HIT and its batch, besides other batches."""
    wanted = {listing.hit.batch_id, *batches}
    list(Batch.objects.select_for_update(no_key=True).filter(pk__in=wanted).order_by("pk").values_list("pk"))
    list(Hit.objects.select_for_update(no_key=True).filter(pk=listing.hit_id).values_list("pk"))
    row = holding.standing(Listing.objects.select_for_update(of=("self",), no_key=True).filter(pk=listing.pk)).get()
    if row.hit.batch_id not in wanted:  # its type was changed just now
        raise WrongHitState(status_of(row))
    return row


def _lock_work(listing: Listing) -> None:
    """Keep those who work on the HIT waiting, since their assignments and seats come before batches and HITs."""
    mine = Assignment.objects.select_for_update(no_key=True).filter(hit=listing.hit_id).order_by("pk")
    workers = list(mine.values_list("worker", flat=True))
    seats = Seat.objects.select_for_update(of=("self",), no_key=True).filter(worker__in=workers)
    list(seats.filter(batch__hit_type__isnull=False).order_by("pk").only("pk"))


@transaction.atomic
def add_places(listing: Listing, more: int) -> None:
    """Ask for so many assignments more. Raises WrongHitState, TooMany and Overdrawn."""
    row = _locked(listing)
    if row.deleted_at is not None:
        raise WrongHitState(status_of(row), hit_status.ASSIGNABLE, hit_status.UNASSIGNABLE, hit_status.REVIEWABLE)
    total = row.hit.wanted + more
    if total > MOST_PLACES or not hit_status.may_reach(row.first_places, total):
        raise TooMany(_("A HIT made for fewer than 10 assignments cannot come to ask for 10 or more."))
    assigning.free_place(row.hit_id, wanted=F("wanted") + more)
    Listing.objects.filter(pk=row.pk).update(reviewing=False, extended_at=Now())
    holding.settle(row.hit_id)
    notifying.tell(notifying.EXTENDED, row.hit)


@transaction.atomic
def expire_at(listing: Listing, at: datetime) -> None:
    """Give the HIT out until `at`; a time that is over ends it now. Raises WrongHitState, Refused and Overdrawn.

    It may last longer, but it cannot be made shorter other than by ending it.
    """
    row = _locked(listing)
    if row.deleted_at is not None:
        raise WrongHitState(status_of(row), hit_status.ASSIGNABLE, hit_status.UNASSIGNABLE, hit_status.REVIEWABLE)
    if at <= clock.now():
        if not row.expired:
            Hit.objects.filter(pk=row.hit_id).update(closes_at=Now())
    else:
        _prolong(row, at)
    holding.settle(row.hit_id)


def _prolong(row: Listing, at: datetime) -> None:
    until = row.hit.closes_at
    if not row.expired and until is not None and at < until - SAME:
        raise Refused(_("A HIT cannot be made to expire earlier, only now: give a time that is over."))
    if at > clock.now() + LONGEST + SAME:
        raise Refused(_("A HIT cannot expire more than 31536000 seconds from now."))
    if until is not None and abs(at - until) <= SAME:
        return
    assigning.free_place(row.hit_id, closes_at=at)
    Listing.objects.filter(pk=row.pk).update(reviewing=False, extended_at=Now())
    notifying.tell(notifying.EXTENDED, row.hit)


@transaction.atomic
def review(listing: Listing, *, reviewing: bool) -> None:
    """Mark a Reviewable HIT as Reviewing, or the other way round. Raises WrongHitState."""
    row = _locked(listing)
    if status_of(row) not in {hit_status.REVIEWABLE, hit_status.REVIEWING}:
        raise WrongHitState(status_of(row), hit_status.REVIEWING if not reviewing else hit_status.REVIEWABLE)
    Listing.objects.filter(pk=row.pk).update(reviewing=reviewing)


@transaction.atomic
def delete(listing: Listing) -> None:
    """Dispose of a HIT of which every submitted assignment was decided on. Raises WrongHitState."""
    row = _locked(listing)
    deletable = {hit_status.REVIEWABLE, hit_status.REVIEWING}
    if status_of(row) not in deletable or holding.undecided(row.hit).exists():
        raise WrongHitState(status_of(row), hit_status.REVIEWING, hit_status.REVIEWABLE)
    Listing.objects.filter(pk=row.pk).update(deleted_at=Now())
    holding.settle(row.hit_id)
    notifying.tell(notifying.DISPOSED, row.hit)


@transaction.atomic
def change_type(listing: Listing, hit_type: HitType) -> None:
    """Give a HIT the terms of another type. Raises WrongHitState, Overdrawn, and Refused for a lower reward.

    Whoever works on it or waits for a decision was promised the reward that it had.
    """
    new = hit_type.batch
    _lock_work(listing)
    row = _locked(listing, new.pk)
    old, hit = row.hit.batch, row.hit
    if row.deleted_at is not None:
        raise WrongHitState(status_of(row), hit_status.ASSIGNABLE, hit_status.UNASSIGNABLE, hit_status.REVIEWABLE)
    if old.pk == new.pk:
        return
    if new.reward < hit.reward and (hit.live or holding.undecided(hit).exists()):
        raise Refused(_("Workers are at work on this HIT for a higher reward, so its type cannot change to this one."))
    ledger.release(old, row.held, key=f"listing/{row.pk}/{row.moves}")
    Listing.objects.filter(pk=row.pk).update(held=0, moves=F("moves") + 1)
    _move(hit, old, new)
    holding.settle(hit.pk)


def _move(hit: Hit, old: Batch, new: Batch) -> None:
    """Put a HIT with its assignments into another batch, at the end of its queue."""
    Batch.objects.filter(pk=old.pk).update(size=F("size") - 1)
    Batch.objects.filter(pk=new.pk).update(size=F("size") + 1, next_ticket=F("next_ticket") + 1)
    ticket = Batch.objects.values_list("next_ticket", flat=True).get(pk=new.pk) - 1
    item = item_for(new, hit.public_id)
    Hit.objects.filter(pk=hit.pk).update(batch=new, item=item, reward=new.reward, ticket=ticket)
    rows = Assignment.objects.filter(hit=hit)
    for worker, state, at in rows.order_by("worker").values_list("worker", "state", "submitted_at"):
        seat, _made = Seat.objects.get_or_create(batch=new, worker_id=worker)
        if state == lifecycle.SUBMITTED:
            counted = Seat.objects.filter(batch=old, worker=worker, done__gt=0)  # older moves took no count along
            counted.update(done=F("done") - 1)
            last = max(filter(None, [seat.worked_at, at]))
            Seat.objects.filter(pk=seat.pk).update(done=F("done") + 1, worked_at=last)
    rows.update(batch=new)
