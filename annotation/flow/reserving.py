"""Reserving: what a paid batch may still cost lies in its own account, so that the budget is never overrun.

Needed are every place that may still be filled or was given to a chosen worker, every assignment under way, and every
submitted one that nobody decided on, each at the most that it can earn and with its fee. A launch, a top-up and a
second opinion set aside what they add; a decision, a voided HIT and closing give back what cannot be needed any more.
What strangers drive by the wire is reserved HIT by HIT (Listing.held), not here.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet, Sum

from annotation.flow import ledger
from annotation.models import Account, Assignment, Batch, Entry, Given, Hit, HitType, Payment, Publication
from annotation.pure import lifecycle

UNDER_WAY = {Batch.State.LAUNCHING, Batch.State.OPEN, Batch.State.PAUSED}


def applies(batch: Batch) -> bool:
    """Whether money is set aside for the batch as a whole: it pays, and is ours to launch and close."""
    return batch.auto_approval is not None and not HitType.objects.filter(batch=batch).exists()


def promised(batch: Batch, most: Decimal) -> Decimal:
    """What a marketplace is told as the reward of a HIT that earns `most`; what is earned beyond it is a bonus.

    The batch's own reward, where one is set below what the task pays at most. In the house everything is the reward.
    """
    return batch.reward if batch.connection_id and 0 < batch.reward < most else most


def cost(batch: Batch, most: Decimal, *, assignments: int, promise: Decimal | None = None) -> Decimal:
    """Dollars that one assignment may come to, with fees; `assignments` are those that its HIT asks for.

    `promise`: what its marketplace was told as the reward, where that is known.
    """
    reward = promised(batch, most) if promise is None else promise
    total = reward + ledger.fee_on(batch, Payment.Kind.REWARD, reward, assignments=assignments)
    rest = most - reward
    if rest:
        total += rest + ledger.fee_on(batch, Payment.Kind.BONUS, rest, assignments=assignments)
    return total


def needed(batch: Batch) -> Decimal:
    """Dollars that the batch may still come to."""
    undecided = undecided_of(Assignment.objects.filter(batch=batch))
    return _of_hits(batch, batch.hits.all()) + _of_undecided(batch, undecided) + _of_given(batch)


def undecided_of(rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Those that were submitted for pay and that nobody decided on."""
    return rows.filter(state=lifecycle.SUBMITTED, approval="", auto_approve_at__isnull=False)


def _of_hits(batch: Batch, hits: QuerySet[Hit]) -> Decimal:
    """What is under way and, while the batch is given out, every place that is free."""
    offered = Q(voided_at__isnull=True) if _has_places(batch) else Q(pk__in=[])
    if not batch.connection_id:
        offered &= Q(check_item=False)
    kinds = hits.order_by().values("reward", "wanted", "check_item", "publication__reward")
    counted = kinds.annotate(under_way=Sum("live"), free=Sum("room", filter=offered, default=0))
    total, free = Decimal(0), 0
    for row in counted:
        wanted = ledger.asked_for(batch, check=row["check_item"], wanted=row["wanted"])
        each = cost(batch, row["reward"], assignments=wanted, promise=row["publication__reward"])
        total += (row["under_way"] + row["free"]) * each
        free += row["free"]
    return total + (_of_checks(batch, hits, free) if batch.check_share and not batch.connection_id else 0)


def _has_places(batch: Batch) -> bool:
    """Whether what is free of the batch's HITs can still be filled; in a round each is made for whoever comes."""
    return batch.state in UNDER_WAY and batch.purpose != Batch.Purpose.QUALIFICATION


def _of_given(batch: Batch) -> Decimal:
    """What was given to chosen workers who did not take it yet: one answer more of each HIT."""
    if not batch.gives or batch.state not in UNDER_WAY:
        return Decimal(0)
    waiting = Given.objects.filter(batch=batch, taken_at__isnull=True, hit__voided_at__isnull=True)
    kinds = waiting.order_by().values(most=F("hit__reward"), wanted=F("hit__wanted")).annotate(count=Count("pk"))
    each = (row["count"] * cost(batch, row["most"], assignments=row["wanted"] + 1) for row in kinds)
    return sum(each, Decimal(0))


def _of_checks(batch: Batch, hits: QuerySet[Hit], free: int) -> Decimal:
    """Hidden gold that may still be given out, as long as anything else is."""
    most = hits.filter(check_item=True).aggregate(most=Max("reward"))["most"]
    return checks_left(batch) * cost(batch, most, assignments=1) if free and most is not None else Decimal(0)


def checks_left(batch: Batch) -> int:
    """How many assignments of hidden gold may still be given out: its share of what the batch asked for at its launch.

    Everybody may get hidden gold, so the places of its HITs say nothing.
    """
    given = batch.hits.filter(check_item=True).aggregate(n=Sum(F("live") + F("done"), default=0))["n"]
    return max(0, checks_among(batch, batch.size * batch.assignments_per_hit) - int(given))


def checks_among(batch: Batch, places: int) -> int:
    """How many assignments of hidden gold come with so many others at most."""
    share = min(batch.check_share, 0.5)
    return math.ceil(places * share / (1 - share) - 1e-9) if share > 0 else 0


def _of_undecided(batch: Batch, undecided: QuerySet[Assignment]) -> Decimal:
    kinds = undecided.order_by().values(
        most=F("hit__reward"),
        wanted=F("hit__wanted"),
        check=F("hit__check_item"),
        promise=F("hit__publication__reward"),
    )
    total = Decimal(0)
    for row in kinds.annotate(count=Count("pk")):
        wanted = ledger.asked_for(batch, check=row["check"], wanted=row["wanted"])
        total += row["count"] * cost(batch, row["most"], assignments=wanted, promise=row["promise"])
    return total


def held(batch: Batch) -> Decimal:
    """Dollars that are set aside for the batch."""
    return ledger.balance(batch.project, ledger.held_for(batch))


def at_launch(batch: Batch) -> None:
    """Set aside what the batch comes to, in the transaction that opens it. Raises Overdrawn."""
    if applies(batch):
        ledger.hold(batch, needed(batch), key=f"launch/{batch.pk}")


@transaction.atomic
def level(batch: Batch) -> None:
    """Set aside what is lacking, give back what is not needed. Twice is like once. Raises Overdrawn."""
    if not applies(batch):
        return
    ledger.lock(batch.project)
    over = held(batch) - needed(batch)
    last = Entry.objects.filter(batch=batch).order_by("-pk").values_list("pk", flat=True).first() or 0
    if over < 0:
        ledger.hold(batch, -over, key=f"level/{batch.pk}/{last}")
    else:
        ledger.release(batch, over, key=f"level/{batch.pk}/{last}")


def level_closed() -> int:
    """Give back what closed batches hold in vain: assignments under way at the end came back. How many changed.

    A sweep: it may run anywhere, twice. What the budget does not cover stays as it is.
    """
    held_ids = Account.objects.filter(name__startswith="held/", balance__gt=0).values_list("name", flat=True)
    closed = Batch.objects.filter(
        pk__in=[int(name.partition("/")[2]) for name in held_ids], state=Batch.State.CLOSED, hit_type__isnull=True
    )
    changed = 0
    for batch in closed.select_related("project", "connection"):
        before = held(batch)
        covered(batch)
        changed += before != held(batch)
    return changed


def covered(batch: Batch) -> bool:
    """Like `level`; False, and nothing changed, where the budget does not cover it."""
    try:
        level(batch)
    except ledger.Overdrawn:
        return False
    return True


def for_more(batch: Batch, hits: QuerySet[Hit]) -> Decimal:
    """Dollars that one place more of each of these HITs adds. Their fees may rise for those under way as well."""
    if not applies(batch):
        return Decimal(0)
    undecided = undecided_of(Assignment.objects.filter(hit__in=hits)).order_by()
    waiting = dict(undecided.values_list("hit").annotate(Count("pk")))
    total = Decimal(0)
    for hit in hits.values("pk", "reward", "wanted", "live", "publication__reward"):
        count = hit["live"] + waiting.get(hit["pk"], 0)
        more, now = (
            cost(batch, hit["reward"], assignments=n, promise=hit["publication__reward"])
            for n in (hit["wanted"] + 1, hit["wanted"])
        )
        total += (count + 1) * more - count * now
    return total


def for_opinions(hit: Hit, least: int) -> Decimal:
    """Dollars that a HIT adds when it comes to ask for `least` answers."""
    batch = hit.batch
    if not applies(batch):
        return Decimal(0)
    waiting = undecided_of(Assignment.objects.filter(hit=hit)).count()
    count = hit.live + hit.room + waiting
    promise = _promise(hit)
    after = (count + least - hit.wanted) * cost(batch, hit.reward, assignments=least, promise=promise)
    return after - count * cost(batch, hit.reward, assignments=hit.wanted, promise=promise)


def _promise(hit: Hit) -> Decimal | None:
    """What the HIT's marketplace was told as its reward; None in the house."""
    told = Publication.objects.filter(hit=hit).values_list("reward", flat=True)
    return told.first() if hit.batch.connection_id else None


def cover_late(row: Assignment) -> None:
    """Set aside what a late answer may earn that takes no place of its HIT, as far as the budget goes."""
    batch = row.batch
    if applies(batch):
        amount = _most(row)
        try:
            ledger.hold(batch, amount, key=f"late/{row.pk}")
        except ledger.Overdrawn:
            return  # whoever approves it hears that the budget lacks it


def covers(row: Assignment) -> bool:
    """Whether what a batch holds was set aside for this assignment too, before anybody decided on it."""
    return not applies(row.batch) or _reserved(row)


def settle(row: Assignment, spent: Decimal) -> None:
    """Give back what was set aside for an assignment beyond what its decision took."""
    batch = row.batch
    if not applies(batch) or not _reserved(row):
        return
    over = min(_most(row) - spent, held(batch))
    if over > 0:
        ledger.release(batch, over, key=f"settled/{row.pk}")


def _most(row: Assignment) -> Decimal:
    """Dollars that the assignment may come to."""
    wanted = ledger.asked_for(row.batch, check=row.hit.check_item, wanted=row.hit.wanted)
    return cost(row.batch, row.hit.reward, assignments=wanted, promise=_promise(row.hit))


def _reserved(row: Assignment) -> bool:
    return row.counts or Entry.objects.filter(project_id=row.batch.project_id, key=f"late/{row.pk}").exists()


def standing(batch: Batch) -> dict[str, Any]:
    """The money of a batch: {"held", "paid" (to workers), "taken" (fees)}."""
    sums = Payment.objects.filter(batch=batch).aggregate(
        paid=Sum("amount", default=Decimal(0)), taken=Sum("fee", default=Decimal(0))
    )
    return {"held": held(batch), **sums}
