"""Earnings of a worker by state: waiting for a decision, owed, in a payout, paid."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Min, Q, QuerySet, Sum

from annotation.flow.money import ledger
from annotation.flow.money.batch_funds import undecided_of
from annotation.flow.review.assignment_approval import REST_KEY, worth
from annotation.models import Account, Assignment, Payment, PayoutLine, Worker, WorkerResponse
from annotation.pure.batches import lifecycle
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
