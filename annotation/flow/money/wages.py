"""Hourly wages by active time, and top-ups to the project's minimum.

A worker's wage is everything that their assignments of a batch earned (undecided ones count as approved; bonuses and
top-ups count; rejected ones count with their time and no pay) divided by their active hours there. The time includes
returned and expired assignments, because that was work. Median and 10th percentile give each worker the same weight:
they describe what workers get, not what an hour costs. Workers without measured time are left out, with their pay.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from functools import partial
from statistics import median

from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.money.batch_funds import undecided_of
from annotation.flow.money.earnings import expected
from annotation.flow.projects import audit_log
from annotation.flow.review.assignment_approval import add_payment
from annotation.models import Assignment, Batch, Payment, Project, User, Worker
from annotation.pure.batches import lifecycle
from annotation.pure.money.pricing import CENT, rounded

HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True)
class Wage:
    """A worker in one batch or several: active seconds, dollars earned, and dollars an hour."""

    worker: int
    seconds: Decimal
    earned: Decimal
    assignments: int

    @property
    def an_hour(self) -> Decimal:
        return rounded(self.earned * HOUR / self.seconds)


@dataclass(frozen=True, slots=True)
class Wages:
    """Statistics over workers of equal weight; None without measured work."""

    median: Decimal | None
    tenth: Decimal | None  # the 10th percentile: one in ten earns less
    workers: int


@dataclass(frozen=True, slots=True)
class Raise:
    """A worker's shortfall to the minimum wage in a batch, and the assignment that the top-up is recorded with."""

    wage: Wage
    worker: Worker
    amount: Decimal
    assignment: Assignment


def of_batch(batch: Batch) -> list[Wage]:
    """The wage of each worker of a paid batch who has measured time, lowest first."""
    return _wages(Assignment.objects.filter(batch=batch, batch__auto_approval__isnull=False))


def of_project(project: Project) -> list[Wage]:
    """Wages over all paid batches of the project."""
    return _wages(Assignment.objects.filter(batch__project=project, batch__auto_approval__isnull=False))


def _wages(rows: QuerySet[Assignment]) -> list[Wage]:
    timed = rows.filter(active_seconds__gt=0).exclude(state=lifecycle.ACCEPTED)
    by_worker = timed.order_by().values("worker").annotate(sum=Sum("active_seconds"))
    seconds = {row["worker"]: row["sum"] for row in by_worker}
    paid = Payment.objects.filter(assignment__in=timed.order_by()).order_by().values("worker")
    earned = defaultdict(Decimal, {row["worker"]: row["sum"] for row in paid.annotate(sum=Sum("amount"))})
    undecided = undecided_of(timed)
    for worker in undecided.order_by().values_list("worker", flat=True).distinct():
        earned[worker] += expected(undecided.filter(worker=worker))
    submitted = timed.filter(state=lifecycle.SUBMITTED).order_by().values_list("worker", flat=True)
    count = Counter(submitted.iterator())
    found = [Wage(w, Decimal(str(s)), earned[w], count[w]) for w, s in seconds.items() if count[w]]
    return sorted(found, key=lambda wage: (wage.an_hour, wage.worker))


def summary(wages: Iterable[Wage]) -> Wages:
    """Median and 10th percentile (the value at rank ceil(n / 10)) over workers."""
    hourly = sorted(wage.an_hour for wage in wages)
    if not hourly:
        return Wages(None, None, 0)
    return Wages(rounded(Decimal(median(hourly))), hourly[math.ceil(len(hourly) / 10) - 1], len(hourly))


def raises(batch: Batch) -> list[Raise]:
    """The top-ups of workers below the project's minimum wage, lowest wage first; empty without a minimum.

    Workers without an approved assignment are left out, because a payment belongs to an assignment.
    """
    floor = batch.project.wage_floor
    if floor is None or batch.auto_approval is None:
        return []
    low = {wage.worker: wage for wage in of_batch(batch) if wage.an_hour < floor}
    rows = Assignment.objects.filter(batch=batch, worker__in=low, approval=Assignment.Approved.APPROVED)
    last = {row.worker_id: row for row in rows.select_related("hit", "worker__project").order_by("pk")}
    found = []
    for pk, wage in low.items():
        lacking = (floor * wage.seconds / HOUR - wage.earned).quantize(CENT, rounding=ROUND_UP)
        if pk in last and lacking > 0:
            last[pk].batch = batch
            found.append(Raise(wage, last[pk].worker, lacking, last[pk]))
    return found


def total(some: Iterable[Raise]) -> Decimal:
    """The cost of top-ups, with fees."""
    fee = partial(ledger.fee_on, kind=Payment.Kind.TOP_UP, assignments=1)
    return sum((each.amount + fee(each.assignment.batch, amount=each.amount) for each in some), Decimal(0))


def confirmation_digest(some: Iterable[Raise]) -> str:
    """A digest of the amounts shown for confirmation, so that other amounts are not paid unseen."""
    return str(total(some))


@transaction.atomic
def top_up(batch: Batch, *, shown: str, user: User | None = None) -> int:
    """Pay the top-up of every worker below the minimum wage, all or nothing; returns the number of workers paid.

    `shown` is the confirmed digest. Raises Refused if it changed since (also because it was paid), and Overdrawn.
    """
    ledger.lock(batch.project)  # what is confirmed is what is paid: nobody pays these workers in between
    due = raises(batch)
    if confirmation_digest(due) != shown:
        text = _("The amounts below the wage floor have changed in the meantime. Check them again, then confirm.")
        raise Refused(text)
    with audit_log.together("raised", batch, amount=str(total(due))):
        for each in due:
            key = f"floor-{batch.pk}-{each.worker.pk}-{each.wage.assignments}-{each.wage.earned}"
            reason = _("To raise your pay for this work to the project's wage floor.")
            add_payment(each.assignment, Payment.Kind.TOP_UP, each.amount, key=key, reason=reason, user=user)
    return len(due)
