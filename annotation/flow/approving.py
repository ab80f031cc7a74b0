"""Approving and rejecting: whether an assignment is paid. What becomes of its answer is flow/reviewing's.

The decision and the payment that follows from it are one transaction; a marketplace is told afterwards.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import holding, ledger, notifying, recording, reserving, webhook_events
from annotation.flow.refusal import Refused
from annotation.models import Approval, Assignment, Payment, User, clock
from annotation.pure import lifecycle, pricing
from annotation.registry import task_type

OVERRIDE_WITHIN = timedelta(days=30)
AUTOMATIC = {"auto", "policy"}  # sources of decisions that nobody took
REST_KEY = "rest-"  # begins the keys of what an answer earned beyond the reward of its marketplace
log = logging.getLogger(__name__)


class WrongState(Refused):
    """The assignment is not in a state in which this can be done. `where` is the one that it is in."""

    def __init__(self, state: str) -> None:
        self.where = state
        super().__init__(_("This assignment is %(state)s, so this cannot be done to it.") % {"state": state})


def state_of(assignment: Assignment) -> str:
    """The assignment's state with what was decided on its pay: accepted … submitted, approved, rejected."""
    return assignment.approval or assignment.state


@transaction.atomic
def approve(
    assignment: Assignment,
    *,
    text: str = "",
    source: str = "requester",
    user: User | None = None,
    override: bool = False,
) -> bool:
    """Approve and pay what the answer earns; False when it was approved before: then nothing happens.

    `override` approves what was rejected, within 30 days. Raises WrongState, and Overdrawn where the budget does not
    cover it; nothing has changed then.
    """
    row = _locked(assignment)
    if row.approval == Assignment.Approved.APPROVED:
        return False
    if row.approval == Assignment.Approved.REJECTED and not (override and _recent(row)):
        raise WrongState(row.approval)
    first = not row.approval
    _decide(row, Assignment.Approved.APPROVED, text, source, user, approved_at=Now(), rejected_at=None)
    spent = _reward(row, user, source=source, reserved=first and reserving.covers(row))
    if first:
        reserving.settle(row, spent)
        holding.settled(row.hit_id, spent=spent)
    assignment.refresh_from_db(fields=["approval", "approved_at", "rejected_at"])
    return True


@transaction.atomic
def reject(assignment: Assignment, *, text: str, source: str = "requester", user: User | None = None) -> bool:
    """Refuse to pay, with a reason for the worker; False when it was rejected before. Raises WrongState."""
    row = _locked(assignment)
    if row.approval == Assignment.Approved.REJECTED:
        return False
    if row.approval:
        raise WrongState(row.approval)
    _decide(row, Assignment.Approved.REJECTED, text, source, user, rejected_at=Now())
    webhook_events.rejected(row, source=source)
    reserving.settle(row, Decimal(0))
    holding.settled(row.hit_id)
    assignment.refresh_from_db(fields=["approval", "rejected_at"])
    return True


def _locked(assignment: Assignment) -> Assignment:
    row = Assignment.objects.locked(assignment.pk, "batch__project", "batch__connection", "hit")
    if row.state != lifecycle.SUBMITTED:
        raise WrongState(row.state)
    holding.lock(row.hit_id)
    return row


def _recent(row: Assignment) -> bool:
    return row.rejected_at is not None and clock.now() - row.rejected_at < OVERRIDE_WITHIN


def _decide(row: Assignment, to: str, text: str, source: str, user: User | None, **stamps: Any) -> None:
    Assignment.objects.filter(pk=row.pk).update(approval=to, **stamps)
    Approval.objects.create(assignment=row, decision=to, text=text, source=source, author=user)
    approved = to == Assignment.Approved.APPROVED
    if source not in AUTOMATIC:
        recording.record(to, row)
    notifying.tell(notifying.APPROVED if approved else notifying.REJECTED, row.hit, row)


def earned(assignment: Assignment) -> Decimal:
    """Dollars that the assignment's answer as it stands earns once it is approved."""
    current = assignment.current
    return assignment.hit.reward if current is None else worth(assignment, current.answer)


def worth(assignment: Assignment, answer: dict[str, Any]) -> Decimal:
    """Dollars that this answer to the assignment earns."""
    cents = task_type(assignment.batch.task).pay(assignment.hit.payload, answer)
    return assignment.hit.reward if cents is None else pricing.dollars(cents)


def _reward(row: Assignment, user: User | None, *, source: str, reserved: bool) -> Decimal:
    """The reward; on a marketplace what it promised, and the rest of what was earned as a bonus. What it all took."""
    due = earned(row)
    promised = row.hit.publication.reward if row.batch.connection_id else due
    common = {"user": user, "reserved": reserved}
    made = [add_payment(row, Payment.Kind.REWARD, promised, key=f"reward-{row.pk}", **common)]
    webhook_events.approved(row, source=source, reward=made[0])
    if due > promised:
        reason = _("For what your answer earned beyond the reward.")
        made.append(
            add_payment(row, Payment.Kind.BONUS, due - promised, key=f"{REST_KEY}{row.pk}", reason=reason, **common)
        )
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
    """Write a payment down and move its money, once for each `key`. Raises Overdrawn; nothing is paid then.

    `reserved`: it was set aside for this assignment when its batch was launched; what was not comes from the budget.
    In the house the worker is owed it from now on; on a marketplace the row is what `flow/settling` still has to send.
    """
    batch = row.batch
    terms = {
        "batch": batch,
        "assignment": row,
        "worker_id": row.worker_id,
        "kind": kind,
        "amount": amount,
        "fee": ledger.fee_on(batch, kind, amount, assignments=_asked_for(row)),
        "reason": reason,
        "due_at": Now(),
        "created_by": user,
    }
    payment, made = Payment.objects.get_or_create(project=batch.project, key=key, defaults=terms)
    if not made:  # before, or by somebody at the same time
        return payment
    ledger.pay(payment, reserved=reserved)
    if kind != Payment.Kind.REWARD:
        recording.record("bonus paid", row, amount=str(amount))
        webhook_events.bonus(row, payment)
    if not batch.connection_id:
        payment.move(Payment.State.PAID, since=(Payment.State.DUE,), paid_at=Now())
    return payment


def _asked_for(row: Assignment) -> int:
    return ledger.asked_for(row.batch, check=row.hit.check_item, wanted=row.hit.wanted)


def due_for_approval() -> QuerySet[Assignment]:
    """Submitted assignments whose time for a decision is over."""
    rows = Assignment.objects.filter(state=lifecycle.SUBMITTED, approval="", auto_approve_at__lte=Now())
    return rows.order_by("auto_approve_at")


def approve_due(*, limit: int = 500, **whose: Any) -> int:
    """Approve what nobody decided on in time; `whose` narrows the assignments. Returns how many. Safe to run twice.

    What the budget does not cover stays undecided, and is tried again.
    """
    done = 0
    for assignment in due_for_approval().filter(**whose)[:limit]:
        try:
            done += approve(assignment, source="auto")
        except ledger.Overdrawn as short:
            log.warning("assignment %s is not approved automatically: %s", assignment.pk, short)
    return done
