"""Assignments: list, read, approve and reject; bonuses and the account's balance."""

import secrets
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.money import ledger
from annotation.flow.notifications import worker_messages
from annotation.flow.review import assignment_approval
from annotation.flow.review.assignment_approval import WrongState
from annotation.models import Assignment, Payment
from annotation.mturk_api import representation, rows
from annotation.mturk_api.calls import JSON, Caller, invalid_value, operation, wrong_assignment_state
from annotation.mturk_api.flow import hit_funds
from annotation.mturk_api.models import Listing
from annotation.pure.batches import lifecycle

APPROVALS = {status: approval for approval, status in representation.STATUS.items()}


@operation("ListAssignmentsForHIT", atomic=False)
def list_assignments_for_hit(caller: Caller, request: JSON) -> JSON:
    """The submitted assignments of a HIT, oldest first."""
    hit = rows.listing(caller, request["HITId"]).hit
    submitted = Assignment.objects.filter(hit=hit, state=lifecycle.SUBMITTED).select_related("hit", "worker")
    if statuses := request.get("AssignmentStatuses"):
        submitted = submitted.filter(approval__in=[APPROVALS[status] for status in statuses])
    page, about = rows.page(submitted, request, by="submitted_at")
    return about | {"Assignments": representation.assignments(page)}


@operation("GetAssignment", atomic=False)
def get_assignment(caller: Caller, request: JSON) -> JSON:
    """A submitted assignment with its HIT."""
    row = rows.assignment(caller, request["AssignmentId"])
    if row.state != lifecycle.SUBMITTED:
        raise wrong_assignment_state("Reviewable", "Approved", "Rejected")
    listing = hit_funds.with_hit_state(Listing.objects.filter(hit=row.hit_id)).get()
    return {"Assignment": representation.assignments([row])[0], "HIT": representation.hit(listing)}


@operation("ApproveAssignment")
def approve_assignment(caller: Caller, request: JSON) -> JSON:
    """Approve an assignment; OverrideRejection approves a rejected one, while its HIT exists."""
    representation.check(request)
    row = rows.assignment(caller, request["AssignmentId"])
    override = request.get("OverrideRejection", False)
    if row.approval == Assignment.Approved.REJECTED and row.hit.listing.deleted_at is not None:
        raise wrong_assignment_state("Submitted")
    text = request.get("RequesterFeedback", "")
    return _decide(assignment_approval.approve, caller, row, text=text, override=override)


@operation("RejectAssignment")
def reject_assignment(caller: Caller, request: JSON) -> JSON:
    """Reject an assignment. The feedback is required, but may be empty."""
    representation.check(request)
    row = rows.assignment(caller, request["AssignmentId"])
    return _decide(assignment_approval.reject, caller, row, text=request["RequesterFeedback"])


def _decide(verb: Callable[..., bool], caller: Caller, row: Assignment, **terms: Any) -> JSON:
    """Approve or reject an assignment. Raises RequestError if that was decided before."""
    try:
        done = verb(row, source="wire", user=caller.key.user, **terms)
    except WrongState:
        done = False
    if not done:
        raise wrong_assignment_state("Submitted")
    return {}


@operation("GetFileUploadURL")
def get_file_upload_url(caller: Caller, request: JSON) -> JSON:
    """Always an error: MTurk supported uploaded files only until December 2017."""
    rows.assignment(caller, request["AssignmentId"])
    raise invalid_value(
        "GetFileUploadURL is deprecated: FileUploadAnswer is not supported since December 12, 2017, so no answer "
        "has a file. Let Workers upload files to a place of your own."
    )


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
    page, about = rows.page(found.select_related("worker", "assignment"), request)
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
