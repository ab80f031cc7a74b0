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
from datetime import datetime
from decimal import ROUND_UP, Decimal
from functools import partial
from statistics import median
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Min, Q, QuerySet, Sum
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.money.batch_funds import undecided_of
from annotation.flow.projects import audit_log
from annotation.flow.review.assignment_approval import REST_KEY, add_payment, worth
from annotation.models import Account, Assignment, Batch, Payment, PayoutLine, Project, User, Worker, WorkerResponse
from annotation.pure.batches import lifecycle
from annotation.pure.money.pricing import CENT, rounded
from annotation.registry import task_type
from annotation.tasktype import Payable

APPROVED, REJECTED = Assignment.Approved.APPROVED, Assignment.Approved.REJECTED


@dataclass(frozen=True, slots=True)
class Earnings:
    """Dollars and numbers of assignments of one worker in one project.

    `pending`: submitted and not decided on; the first is approved automatically at `next_approval`.
    `approved_owed`: approved, and owed by the built-in marketplace. `on_its_way`: in an open payout.
    `paid_out`: paid by the lab. `by_marketplace`: approved on an outside marketplace. `bonuses` and `top_ups` are
    included in the approved amounts.
    """

    pending: Decimal
    pending_count: int
    next_approval: datetime | None
    approved_owed: Decimal
    on_its_way: Decimal
    paid_out: Decimal
    by_marketplace: Decimal
    bonuses: Decimal
    top_ups: Decimal
    approved_count: int
    rejected_count: int

    @property
    def approved(self) -> Decimal:
        """Everything that was ever approved for them."""
        return self.approved_owed + self.on_its_way + self.paid_out + self.by_marketplace


def earnings(worker: Worker) -> Earnings:
    """The worker's earnings so far, by state."""
    rows = Assignment.objects.filter(worker=worker, state=lifecycle.SUBMITTED)
    undecided = undecided_of(rows)
    lines = {row["state"]: row["sum"] for row in worker.payout_lines.values("state").annotate(sum=Sum("amount"))}
    payments = worker.payments.aggregate(
        bonuses=_sum(kind=Payment.Kind.BONUS),
        top_ups=_sum(kind=Payment.Kind.TOP_UP),
        by_marketplace=_sum(batch__on_marketplace=True),
    )
    return Earnings(
        pending=expected(undecided),
        **undecided.aggregate(pending_count=Count("pk"), next_approval=Min("auto_approve_at")),
        approved_owed=owed(worker),
        on_its_way=lines.get(PayoutLine.State.OPEN, Decimal(0)),
        paid_out=lines.get(PayoutLine.State.PAID, Decimal(0)),
        **payments,
        **rows.aggregate(
            approved_count=Count("pk", filter=Q(approval=APPROVED)),
            rejected_count=Count("pk", filter=Q(approval=REJECTED)),
        ),
    )


def _sum(**which: Any) -> Sum:
    return Sum("amount", filter=Q(**which), default=Decimal(0))


def owed(worker: Worker) -> Decimal:
    """Dollars that the built-in marketplace owes the worker now."""
    accounts = Account.objects.filter(project=worker.project_id, name=ledger.owed_to(worker.pk))
    return accounts.values_list("balance", flat=True).first() or Decimal(0)


def pays_by_answer(task: str) -> bool:
    """Whether the reward of a response to this task depends on its content."""
    return isinstance(task_type(task), Payable)


def paid_for_answers(assignments: Iterable[int]) -> dict[int, int]:
    """US cents paid for each assignment's response, without bonuses and top-ups; unpaid ones are left out.

    On a marketplace pay above the promised reward is sent as a bonus, but counts as the response's pay.
    """
    rows = Payment.objects.filter(assignment__in=list(assignments), state=Payment.State.PAID)
    answers = rows.filter(Q(kind=Payment.Kind.REWARD) | Q(key__startswith=REST_KEY))
    summed = answers.order_by().values_list("assignment").annotate(sum=Sum("amount"))
    return {assignment: int(amount * 100) for assignment, amount in summed}


def expected(undecided: QuerySet[Assignment]) -> Decimal:
    """Dollars that these assignments earn if approved, computed from the responses if the task pays by content."""
    total = Decimal(0)
    for task in set(undecided.order_by().values_list("batch__task", flat=True).distinct()):
        some = undecided.filter(batch__task=task)
        if pays_by_answer(task):
            current = WorkerResponse.objects.filter(assignment__in=some, revision=F("assignment__revision"))
            rows = current.select_related("assignment__hit", "assignment__batch")
            total += sum((worth(row.assignment, row.answer) for row in rows.iterator()), Decimal(0))
        else:
            total += some.aggregate(sum=Sum("hit__reward", default=Decimal(0)))["sum"]
    return total


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
