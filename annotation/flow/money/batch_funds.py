"""Money set aside for a paid batch in a separate account, so that the budget is never overrun.

Every assignment that is free, reserved, under way or undecided needs the most that it can earn, with its fee. A
launch, added assignments and a second opinion set money aside; a decision, an excluded HIT and closing release money
that is no longer needed. HITs of the MTurk API have money set aside one by one (Listing.held).
"""

import math
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet, Sum

from annotation.flow.money import ledger
from annotation.models import Account, Assignment, Batch, Entry, Hit, Payment, ReservedHit
from annotation.pure.batches import lifecycle
from annotation.pure.money import pricing
from annotation.recruitment import has_gold_among_hits, marketplaces
from annotation.registry import task_type
from annotation.tasktype import capabilities

UNDER_WAY = {Batch.State.LAUNCHING, Batch.State.OPEN, Batch.State.PAUSED}


def uses_hold(batch: Batch) -> bool:
    """Whether money is set aside for the batch as a whole: it pays, and was not created through the MTurk API."""
    return batch.auto_approval is not None and not batch.by_program


def capped_reward(batch: Batch, most: Decimal) -> Decimal:
    """The reward to advertise on a marketplace for a HIT that earns `most`; the rest is paid as a bonus.

    The batch's own reward, if one is set below the most that the task pays. On the built-in marketplace, everything.
    """
    return batch.reward if batch.on_marketplace and 0 < batch.reward < most else most


def least_earned(batch: Batch, payload: dict[str, Any]) -> Decimal:
    """Dollars that every answer to a HIT with this payload earns."""
    cents = capabilities.least_pay(task_type(batch.task), payload)
    return batch.reward if cents is None else pricing.dollars(cents)


def advertised_reward(batch: Batch, hit: Hit) -> Decimal:
    """The reward to advertise for the HIT: on a marketplace the least that a response can earn, else its reward."""
    if not batch.on_marketplace:
        return hit.reward
    return min(capped_reward(batch, hit.reward), least_earned(batch, hit.payload))


def set_advertised_rewards(batch: Batch, hits: Sequence[Hit]) -> None:
    """Set the advertised reward of each HIT, before the HITs are stored."""
    if not batch.on_marketplace:
        return
    least = [least_earned(batch, hit.payload) for hit in hits]
    if hits and not batch.reward and min(least) < max(hit.reward for hit in hits):
        Batch.objects.filter(pk=batch.pk).update(reward=min(least))  # because the money to set aside depends on it
        batch.reward = min(least)
    for hit, earned in zip(hits, least, strict=True):
        hit.promised = min(capped_reward(batch, hit.reward), earned)


def cost(batch: Batch, most: Decimal, *, assignments: int, promise: Decimal | None = None) -> Decimal:
    """Dollars that one assignment may cost, with fees; `assignments` is the number that its HIT asks for.

    `promise`: the reward published on a marketplace, if any.
    """
    reward = capped_reward(batch, most) if promise is None else promise
    total = reward + ledger.fee_on(batch, Payment.Kind.REWARD, reward, assignments=assignments)
    rest = most - reward
    if rest:
        total += rest + ledger.fee_on(batch, Payment.Kind.BONUS, rest, assignments=assignments)
    return total


def needed(batch: Batch) -> Decimal:
    """Dollars that the batch may still cost."""
    undecided = undecided_of(Assignment.objects.filter(batch=batch))
    beyond = marketplaces().beyond_hits(batch) if batch.on_marketplace else Decimal(0)
    return _of_hits(batch, batch.hits.all()) + _of_undecided(batch, undecided) + _of_given(batch) + beyond


def undecided_of(rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Undecided submitted assignments of paid batches."""
    return rows.filter(state=lifecycle.SUBMITTED, approval="", auto_approve_at__isnull=False)


def _of_hits(batch: Batch, hits: QuerySet[Hit]) -> Decimal:
    """Cost of assignments under way and, unless the batch is closed, of free assignments."""
    # in a qualification round assignments are added on demand
    has_free = batch.state in UNDER_WAY and batch.purpose != Batch.Purpose.QUALIFICATION
    offered = Q(excluded_at__isnull=True) if has_free else Q(pk__in=[])
    if not has_gold_among_hits(batch):
        offered &= Q(check_item=False)
    kinds = hits.order_by().values("reward", "wanted", "check_item", "promised")
    counted = kinds.annotate(under_way=Sum("live"), free=Sum("room", filter=offered, default=0))
    total, free = Decimal(0), 0
    for row in counted:
        wanted = ledger.assignments_requested(batch, check=row["check_item"], wanted=row["wanted"])
        each = cost(batch, row["reward"], assignments=wanted, promise=row["promised"])
        total += (row["under_way"] + row["free"]) * each
        free += row["free"]
    return total + (_of_checks(batch, hits, free) if batch.check_share and not has_gold_among_hits(batch) else 0)


def _of_given(batch: Batch) -> Decimal:
    """Cost of reserved HITs that were not taken yet: an additional assignment each."""
    if not batch.has_reserved_hits or batch.state not in UNDER_WAY:
        return Decimal(0)
    waiting = ReservedHit.objects.filter(batch=batch, taken_at__isnull=True, hit__excluded_at__isnull=True)
    kinds = waiting.order_by().values(most=F("hit__reward"), wanted=F("hit__wanted")).annotate(count=Count("pk"))
    each = (row["count"] * cost(batch, row["most"], assignments=row["wanted"] + 1) for row in kinds)
    return sum(each, Decimal(0))


def _of_checks(batch: Batch, hits: QuerySet[Hit], free: int) -> Decimal:
    """Cost of hidden gold that may still be given out, as long as other HITs are."""
    most = hits.filter(check_item=True).aggregate(most=Max("reward"))["most"]
    return checks_left(batch) * cost(batch, most, assignments=1) if free and most is not None else Decimal(0)


def checks_left(batch: Batch) -> int:
    """The number of hidden gold assignments that may still be given out: its share of the batch's, minus those given.

    Its HITs' own counters do not limit it, because every worker may get hidden gold.
    """
    given = batch.hits.filter(check_item=True).aggregate(n=Sum(F("live") + F("done"), default=0))["n"]
    return max(0, checks_among(batch, batch.size * batch.most_assignments) - int(given))


def checks_among(batch: Batch, places: int) -> int:
    """The maximum number of hidden gold assignments among `places` others."""
    share = min(batch.check_share, 0.5)
    return math.ceil(places * share / (1 - share) - 1e-9) if share > 0 else 0


def _of_undecided(batch: Batch, undecided: QuerySet[Assignment]) -> Decimal:
    kinds = undecided.order_by().values(
        most=F("hit__reward"),
        wanted=F("hit__wanted"),
        check=F("hit__check_item"),
        promise=F("hit__promised"),
    )
    total = Decimal(0)
    for row in kinds.annotate(count=Count("pk")):
        wanted = ledger.assignments_requested(batch, check=row["check"], wanted=row["wanted"])
        total += row["count"] * cost(batch, row["most"], assignments=wanted, promise=row["promise"])
    return total


def held(batch: Batch) -> Decimal:
    """Dollars set aside for the batch."""
    return ledger.balance(batch.project, ledger.held_for(batch))


def at_launch(batch: Batch) -> None:
    """Set aside the batch's maximum cost, in the transaction that opens it. Raises Overdrawn."""
    if uses_hold(batch):
        _lock(batch)
        ledger.hold(batch, needed(batch), key=f"launch/{batch.pk}")


def _lock(batch: Batch) -> None:
    """Block other transfers of the budget; read the fees, which may change until money is set aside."""
    ledger.lock(batch.project)
    batch.project.refresh_from_db(fields=["fees"])


@transaction.atomic
def adjust_hold(batch: Batch) -> None:
    """Set aside missing money and release surplus money; idempotent. Raises Overdrawn."""
    if not uses_hold(batch):
        return
    _lock(batch)
    over = held(batch) - needed(batch)
    last = Entry.objects.filter(batch=batch).order_by("-pk").values_list("pk", flat=True).first() or 0
    if over < 0:
        ledger.hold(batch, -over, key=f"level/{batch.pk}/{last}")
    else:
        ledger.release(batch, over, key=f"level/{batch.pk}/{last}")


def adjust_closed_holds() -> int:
    """Release money of closed batches whose last assignments have ended; returns how many batches changed.

    A sweep: safe to run anywhere and twice. Batches that the budget does not cover stay unchanged.
    """
    held_ids = Account.objects.filter(name__startswith="held/", balance__gt=0).values_list("name", flat=True)
    keys = [int(name.partition("/")[2]) for name in held_ids]
    closed = Batch.objects.filter(pk__in=keys, state=Batch.State.CLOSED, by_program=False)
    changed = 0
    for batch in closed.select_related("project"):
        before = held(batch)
        covered(batch)
        changed += before != held(batch)
    return changed


def covered(batch: Batch) -> bool:
    """Like `adjust_hold`, but returns False and changes nothing if the budget does not cover it."""
    try:
        adjust_hold(batch)
    except ledger.Overdrawn:
        return False
    return True


def for_more(batch: Batch, hits: QuerySet[Hit]) -> Decimal:
    """Dollars that one more assignment of each of these HITs adds, with higher fees for their other assignments."""
    if not uses_hold(batch):
        return Decimal(0)
    undecided = undecided_of(Assignment.objects.filter(hit__in=hits)).order_by()
    waiting = dict(undecided.values_list("hit").annotate(Count("pk")))
    total = Decimal(0)
    for hit in hits.values("pk", "reward", "wanted", "live", "promised"):
        count = hit["live"] + waiting.get(hit["pk"], 0)
        now = cost(batch, hit["reward"], assignments=hit["wanted"], promise=hit["promised"])
        more = cost(batch, hit["reward"], assignments=hit["wanted"] + 1, promise=hit["promised"])
        total += (count + 1) * more - count * now
    return total


def for_opinions(hit: Hit, least: int) -> Decimal:
    """Dollars that a HIT adds if it asks for at least `least` responses."""
    batch = hit.batch
    if not uses_hold(batch):
        return Decimal(0)
    waiting = undecided_of(Assignment.objects.filter(hit=hit)).count()
    count: int = hit.live + hit.room + waiting
    promise = hit.promised
    after = (count + least - hit.wanted) * cost(batch, hit.reward, assignments=least, promise=promise)
    return after - count * cost(batch, hit.reward, assignments=hit.wanted, promise=promise)


def cover_late(row: Assignment) -> None:
    """Set aside the maximum pay of a late response beyond the HIT's assignments, if the budget covers it."""
    if uses_hold(row.batch):
        with suppress(ledger.Overdrawn):  # approving it reports that the budget is short
            ledger.hold(row.batch, _most(row), key=f"late/{row.pk}")


def covers(row: Assignment) -> bool:
    """Whether the money set aside for the batch includes this assignment."""
    return not uses_hold(row.batch) or _reserved(row)


def settle(row: Assignment, spent: Decimal) -> None:
    """Release the money set aside for a decided assignment, except for `spent`."""
    batch = row.batch
    if not uses_hold(batch) or not _reserved(row):
        return
    over = min(_most(row) - spent, held(batch))
    if over > 0:
        ledger.release(batch, over, key=f"settled/{row.pk}")


def _most(row: Assignment) -> Decimal:
    """The most that the assignment can cost, in dollars."""
    wanted = ledger.assignments_requested(row.batch, check=row.hit.check_item, wanted=row.hit.wanted)
    return cost(row.batch, row.hit.reward, assignments=wanted, promise=row.hit.promised)


def _reserved(row: Assignment) -> bool:
    return row.counts or Entry.objects.filter(project_id=row.batch.project_id, key=f"late/{row.pk}").exists()


def batch_money(batch: Batch) -> dict[str, Any]:
    """The money of a batch: {"held", "paid" (to workers), "taken" (fees)}."""
    sums = Payment.objects.filter(batch=batch).aggregate(
        paid=Sum("amount", default=Decimal(0)), taken=Sum("fee", default=Decimal(0))
    )
    return {"held": held(batch), **sums}
