"""Money set aside for a HIT of the MTurk API: at its creation, and released when no longer needed.

`Listing.held` is its part of the batch's account. An expired HIT releases the money of its free assignments even
without a sweep: code that reads the balance or sets money aside calls `catch_up` first. Lock order: assignment,
participation, batch, HIT, listing, accounts.
"""

import logging
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Case, Count, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Now

from annotation.flow.money import ledger
from annotation.models import Assignment, Batch, Hit, Payment, clock
from annotation.models.compiled import compiled
from annotation.mturk_api.flow import notifications
from annotation.mturk_api.models import Listing
from annotation.pure.batches import lifecycle
from annotation.pure.mturk import hit_status
from annotation.pure.mturk.hit_status import HitCounts

log = logging.getLogger(__name__)
LOOK_AGAIN = timedelta(days=1)  # until the next look at a HIT that should be deleted but still waits for something
COMPLETED = (
    Assignment.objects.filter(hit=OuterRef("hit"))
    .exclude(approval="")
    .order_by()
    .values("hit")
    .values(number=Count("pk"))
)
EXPIRED = Case(
    When(Q(hit__excluded_at__isnull=False) | Q(hit__closes_at__lte=Now()), then=Value(True)), default=Value(False)
)


def with_hit_state(rows: QuerySet[Listing]) -> QuerySet[Listing]:
    """The listings with their HIT, `expired` by the database's clock, and `completed`, its decided assignments."""
    with_hit = rows.select_related("hit__batch__hit_type", "hit__batch__project")
    return with_hit.annotate(expired=EXPIRED, completed=Coalesce(Subquery(COMPLETED), 0))  # type: ignore[no-redef]  # the model declares it


@compiled
def listing_of(project: int, hit: str) -> QuerySet[Listing]:
    """The listing of the project's HIT with this public id, as `with_hit_state` gives it, deleted or not."""
    return with_hit_state(Listing.objects.filter(project=project, hit__public_id=hit))


def state_of(listing: Listing) -> HitCounts:
    """The state of a listing from `with_hit_state`."""
    hit = listing.hit
    return HitCounts(
        wanted=hit.wanted,
        live=hit.live,
        done=hit.done,
        expired=listing.expired,
        reviewing=listing.reviewing,
        deleted=listing.deleted_at is not None,
    )


def cost(hit: Hit) -> Decimal:
    """Dollars that one approved assignment of the HIT costs, with its fee."""
    fee = ledger.fee_on(hit.batch, Payment.Kind.REWARD, hit.reward, assignments=hit.wanted)
    return hit.reward + fee


def undecided(hit: Hit) -> QuerySet[Assignment]:
    """Undecided submitted assignments of the HIT."""
    return Assignment.objects.filter(hit=hit, state=lifecycle.SUBMITTED, approval="")


def lock(hit_id: int) -> None:
    """Lock a HIT's listing, if it has one, before money is moved for it."""
    list(Listing.objects.select_for_update(no_key=True).filter(hit=hit_id).values_list("pk"))


@transaction.atomic
def settle(hit_id: int, *, spent: Decimal = Decimal(0)) -> None:
    """Set aside missing money for the HIT and release surplus money; no effect without a listing.

    `spent` has just been paid from its money. Raises Overdrawn if the budget does not cover more.
    """
    # Lock: `held` and the ledger change together.
    locked = Listing.objects.select_for_update(of=("self",), no_key=True).filter(hit=hit_id)
    listing = with_hit_state(locked).first()
    if listing is None:
        return
    state = state_of(listing)
    waiting = undecided(listing.hit).count()
    needed = hit_status.payable(state, waiting) * cost(listing.hit)
    _move(listing, spent, needed)
    due_at = _due_at(listing, state)
    Listing.objects.filter(pk=listing.pk).update(held=needed, due_at=due_at, moves=F("moves") + 1)


def _move(listing: Listing, spent: Decimal, needed: Decimal) -> None:
    lacking = needed - (listing.held - spent)
    key = f"listing/{listing.pk}/{listing.moves}"
    if lacking > 0:
        ledger.hold(listing.hit.batch, lacking, key=key)
    else:
        ledger.release(listing.hit.batch, -lacking, key=key)


def _due_at(listing: Listing, state: HitCounts) -> object:
    """The time when the listing next changes by time alone; None if it does not."""
    if state.deleted:
        return None
    if not state.expired:
        return listing.hit.closes_at
    gone = (listing.hit.closes_at or clock.now()) + hit_status.KEPT
    return gone if gone > clock.now() else clock.now() + LOOK_AGAIN


def due(project: Any) -> QuerySet[Listing]:
    """Listings of the project that changed by time and were not handled yet."""
    return Listing.objects.filter(project=project, due_at__lte=Now())


@transaction.atomic
def end_all(batch: Batch) -> int:
    """Expire the HITs of a batch of the MTurk API now, like `UpdateExpirationForHIT`; returns how many."""
    open_hits = Hit.objects.filter(batch=batch, listing__deleted_at__isnull=True, closes_at__gt=Now())
    # By key, so that two calls cannot deadlock.
    ended = list(open_hits.select_for_update(of=("self",), no_key=True).order_by("pk").values_list("pk", flat=True))
    Hit.objects.filter(pk__in=ended).update(closes_at=Now())
    return Listing.objects.filter(hit__in=ended).update(due_at=Now())


@transaction.atomic
def lapse(listing: Listing) -> None:
    """Handle a listing that expired, or is old enough to be deleted. Safe to run twice."""
    # The HIT before its listing: the lock order.
    list(Hit.objects.select_for_update(no_key=True).filter(pk=listing.hit_id).values_list("pk"))
    row = with_hit_state(
        Listing.objects.select_for_update(of=("self",), no_key=True).filter(pk=listing.pk, due_at__lte=Now())
    ).first()
    if row is None:
        return
    if _is_over(row):
        Listing.objects.filter(pk=row.pk).update(deleted_at=Now())
        notifications.record_event(notifications.DISPOSED, row.hit)
    settled(row.hit_id)


def _is_over(row: Listing) -> bool:
    """Whether the HIT expired more than KEPT ago and nothing is pending."""
    if row.hit.closes_at is None or row.hit.closes_at + hit_status.KEPT > clock.now():
        return False
    waits_for_nobody = hit_status.status(state_of(row)) in {hit_status.REVIEWABLE, hit_status.REVIEWING}
    return waits_for_nobody and not undecided(row.hit).exists()


def settled(hit_id: int, *, spent: Decimal = Decimal(0)) -> None:
    """Like `settle`, but never fails: amounts that the budget no longer covers (fees rose) are not set aside."""
    try:
        settle(hit_id, spent=spent)
    except ledger.Overdrawn as short:
        log.warning("HIT %s is not covered by its budget: %s", hit_id, short)
