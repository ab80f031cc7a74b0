"""Operations on money: bonuses and the account's balance."""

import secrets
from decimal import Decimal

from django.utils.translation import gettext as _

from annotation.flow.money import ledger
from annotation.flow.notifications import worker_messages
from annotation.flow.review import assignment_approval
from annotation.models import Assignment, Payment
from annotation.mturk_api import paging, rows
from annotation.mturk_api.calls import JSON, Caller, invalid_value, operation, wrong_assignment_state
from annotation.pure.batches import lifecycle

FAMILY = "bonus"
LONGEST_REASON = 2000
BONUSES = (Payment.Kind.BONUS, Payment.Kind.TOP_UP)


@operation("SendBonus")
def send_bonus(caller: Caller, request: JSON) -> JSON:
    """Pay a bonus for a submitted assignment, approved or not, with a reason for the worker."""
    worker = rows.worker(caller, request["WorkerId"])
    assignment = rows.assignment(caller, request["AssignmentId"])
    reason = request["Reason"].strip()
    _check(assignment, worker.pk, request["BonusAmount"], reason)
    used = 'The idempotency token "{token}" has already been processed.'
    rows.use_up_token(caller, request, FAMILY, result=assignment.public_id, used=used, code="DuplicateRequest")
    assignment_approval.add_payment(
        assignment,
        Payment.Kind.BONUS,
        request["BonusAmount"],
        key=f"wire-bonus-{secrets.token_hex(16)}",
        reason=reason,
        user=caller.key.user,
    )
    subject = _("A bonus of $%(amount)s for you") % {"amount": request["BonusAmount"]}
    worker_messages.send(worker, subject, reason, author=caller.key.user, assignment=assignment)
    return {}


def _check(assignment: Assignment, worker_pk: int, amount: Decimal, reason: str) -> None:
    if assignment.worker_id != worker_pk:
        raise invalid_value(f"The Worker does not have the Assignment {assignment.public_id}.")
    if assignment.state != lifecycle.SUBMITTED:
        raise wrong_assignment_state("Reviewable", "Approved", "Rejected")
    if amount <= 0:
        raise invalid_value("BonusAmount must be at least 0.01.")
    if not reason or len(reason) > LONGEST_REASON:
        raise invalid_value(f"Reason must have 1 to {LONGEST_REASON} characters.")


@operation("ListBonusPayments", atomic=False)
def list_bonus_payments(caller: Caller, request: JSON) -> JSON:
    """The bonuses of a HIT or of an assignment, oldest first."""
    found = Payment.objects.filter(project=caller.project, kind__in=BONUSES).exclude(state=Payment.State.FAILED)
    if "AssignmentId" in request:
        found = found.filter(assignment=rows.assignment(caller, request["AssignmentId"]))
    if "HITId" in request:
        found = found.filter(assignment__hit=rows.listing(caller, request["HITId"]).hit_id)
    if not {"AssignmentId", "HITId"} & request.keys():
        raise invalid_value("Either HITId or AssignmentId must be specified.")
    page, about = paging.page(found.select_related("worker", "assignment"), request)
    return about | {"BonusPayments": [_shown(payment) for payment in page]}


def _shown(payment: Payment) -> JSON:
    return {
        "WorkerId": payment.worker.public_id,
        "BonusAmount": payment.amount,
        "AssignmentId": payment.assignment.public_id,
        "Reason": payment.reason,
        "GrantTime": payment.created_at,
    }


@operation("GetAccountBalance", atomic=False)
def get_account_balance(caller: Caller, request: JSON) -> JSON:
    """The project's budget, without money set aside."""
    return {"AvailableBalance": ledger.balance(caller.project, ledger.AVAILABLE)}
