"""Approval and rejection: whether an assignment is paid. Whether its response counts: flow/review/review_decisions.

Decision and payment are one transaction; a marketplace is notified afterwards.
"""

import logging
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.events import AssignmentApproved, AssignmentRejected, BonusPaid, PayDecided, PayDecisionBegun, emit
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger
from annotation.flow.projects import audit_log
from annotation.models import Approval, Assignment, Payment, User, clock
from annotation.pure.batches import lifecycle
from annotation.pure.money import pricing
from annotation.registry import task_type
from annotation.tasktype import capabilities

OVERRIDE_WITHIN = timedelta(days=30)
AUTOMATIC = {"auto", "policy"}  # sources of decisions without a requester
REST_KEY = "rest-"  # prefix of the keys of payments beyond the reward promised on a marketplace
log = logging.getLogger(__name__)


class WrongState(Refused):
    """The assignment's state does not allow this. `where`: its state."""

    def __init__(self, state: str) -> None:
        self.where = state
        super().__init__(_("This is not possible while the assignment is %(state)s.") % {"state": state})


@transaction.atomic
def approve(
    assignment: Assignment,
    *,
    text: str = "",
    source: str = "requester",
    user: User | None = None,
    override: bool = False,
    pays: bool = True,
) -> bool:
    """Approve an assignment and pay for its response; False, without effect, if it was approved before.

    `override` approves after a rejection, within 30 days; without `pays` the worker is paid otherwise. Raises
    WrongState, and Overdrawn if the budget does not cover it, changing nothing.
    """
    row = _locked(assignment)
    if row.approval == Assignment.Approved.APPROVED:
        return False
    if row.approval == Assignment.Approved.REJECTED and not (override and can_be_overridden(row)):
        raise WrongState(row.approval)
    first = not row.approval
    _decide(row, Assignment.Approved.APPROVED, text, source, user, approved_at=Now(), rejected_at=None)
    due = earned(row) if pays else Decimal(0)
    spent = _reward(row, due, user, source=source, reserved=first and batch_funds.covers(row))
    if first:
        batch_funds.settle(row, spent)
        emit(PayDecided(row, spent))
    assignment.refresh_from_db(fields=["approval", "approved_at", "rejected_at"])
    return True


@transaction.atomic
def reject(assignment: Assignment, *, text: str, source: str = "requester", user: User | None = None) -> bool:
    """Reject an assignment, with a reason for the worker; False if it was rejected before. Raises WrongState."""
    row = _locked(assignment)
    if row.approval == Assignment.Approved.REJECTED:
        return False
    if row.approval:
        raise WrongState(row.approval)
    _decide(row, Assignment.Approved.REJECTED, text, source, user, rejected_at=Now())
    emit(AssignmentRejected(row, source))
    batch_funds.settle(row, Decimal(0))
    emit(PayDecided(row, Decimal(0)))
    assignment.refresh_from_db(fields=["approval", "rejected_at"])
    return True


def _locked(assignment: Assignment) -> Assignment:
    # Lock: a response is decided once, not by a requester and the deadline at the same time.
    row = Assignment.locked(assignment.pk, "batch__project", "hit")
    if row.state != lifecycle.SUBMITTED:
        raise WrongState(row.state)
    emit(PayDecisionBegun(row))
    return row


def can_be_overridden(row: Assignment) -> bool:
    """Whether a rejection can still be reversed."""
    recent = row.rejected_at is not None and clock.now() - row.rejected_at < OVERRIDE_WITHIN
    return recent and row.approval == Assignment.Approved.REJECTED


def _decide(row: Assignment, to: str, text: str, source: str, user: User | None, **stamps: Any) -> None:
    Assignment.objects.filter(pk=row.pk).update(approval=to, **stamps)
    Approval.objects.create(assignment=row, decision=to, text=text, source=source, author=user)
    if source not in AUTOMATIC:
        audit_log.record(to, row)


def earned(assignment: Assignment) -> Decimal:
    """Dollars that the assignment's current response earns once approved."""
    current = assignment.current
    return assignment.hit.reward if current is None else worth(assignment, current.answer)


def worth(assignment: Assignment, answer: dict[str, Any]) -> Decimal:
    """Dollars that this response to the assignment earns."""
    cents = capabilities.pay(task_type(assignment.batch.task), assignment.hit.payload, answer)
    return assignment.hit.reward if cents is None else pricing.dollars(cents)


def _reward(row: Assignment, due: Decimal, user: User | None, *, source: str, reserved: bool) -> Decimal:
    """Pay the reward; on a marketplace the promised reward, and the rest as a bonus. Returns the total cost."""
    promised = due if row.hit.promised is None or not due else row.hit.promised
    pay = partial(add_payment, row, user=user, reserved=reserved)
    made = [pay(Payment.Kind.REWARD, promised, key=f"reward-{row.pk}")]
    emit(AssignmentApproved(row, source, reward=made[0]))
    if due > promised:
        reason = _("For what your response earned beyond the reward.")
        key = f"{REST_KEY}{row.pk}"
        made.append(pay(Payment.Kind.BONUS, due - promised, key=key, reason=reason))
    return sum((payment.amount + payment.fee for payment in made), Decimal(0))


@transaction.atomic
def add_payment(
    row: Assignment,
    kind: str,
    amount: Decimal,
    *,
    key: str,
    reason: str = "",
    user: User | None = None,
    reserved: bool = False,
) -> Payment:
    """Record a payment and transfer its money, once for each `key`. Raises Overdrawn, paying nothing.

    `reserved`: the amount set aside for this assignment at launch; the rest comes from the budget. On the built-in
    marketplace the amount is owed to the worker immediately; on others the row waits to be sent.
    """
    batch = row.batch
    requested = ledger.assignments_requested(batch, check=row.hit.check_item, wanted=row.hit.wanted)
    fee = ledger.fee_on(batch, kind, amount, assignments=requested)
    terms = {"batch": batch, "assignment": row, "worker_id": row.worker_id, "created_by": user, "due_at": Now()}
    terms |= {"kind": kind, "amount": amount, "fee": fee, "reason": reason}
    payment, made = Payment.objects.get_or_create(project=batch.project, key=key, defaults=terms)
    if not made:  # paid before, or by another process at the same time
        return payment
    ledger.pay(payment, reserved=reserved)
    if kind != Payment.Kind.REWARD:
        audit_log.record("bonus paid", row, amount=str(amount))
        emit(BonusPaid(row, payment))
    if not batch.on_marketplace:
        payment.move(Payment.State.PAID, since=(Payment.State.DUE,), paid_at=Now())
    return payment


def due_for_approval() -> QuerySet[Assignment]:
    """Submitted assignments whose deadline for a decision has passed."""
    rows = Assignment.objects.filter(state=lifecycle.SUBMITTED, approval="", auto_approve_at__lte=Now())
    return rows.order_by("auto_approve_at")


def approve_due(*, limit: int = 500, **filters: Any) -> int:
    """Approve assignments not decided in time; `filters` narrow them. Returns the number approved. Safe to run twice.

    Assignments that the budget does not cover stay undecided, and are tried again; one rejected meanwhile stays.
    """
    done = 0
    for assignment in due_for_approval().filter(**filters)[:limit]:
        try:
            done += approve(assignment, source="auto")
        except ledger.Overdrawn as short:
            log.warning("assignment %s is not approved automatically: %s", assignment.pk, short)
        except WrongState:
            continue
    return done
