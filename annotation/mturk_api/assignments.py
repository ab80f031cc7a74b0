"""Assignments: listed, read, approved and rejected."""

from __future__ import annotations

from annotation.flow import approving
from annotation.flow.approving import WrongState
from annotation.models import Assignment, Listing
from annotation.mturk_api import paging, rows, showing, terms
from annotation.mturk_api.errors import WireError
from annotation.mturk_api.registry import JSON, Caller, operation
from annotation.pure import lifecycle

APPROVALS = {status: approval for approval, status in showing.STATUS.items()}


@operation("ListAssignmentsForHIT")
def list_assignments_for_hit(caller: Caller, request: JSON) -> JSON:
    """What was submitted for a HIT, oldest first."""
    hit = rows.listing(caller, request["HITId"]).hit
    found = Assignment.objects.filter(hit=hit, state=lifecycle.SUBMITTED).select_related("hit", "worker")
    statuses = request.get("AssignmentStatuses")
    if statuses:
        found = found.filter(approval__in=[APPROVALS[status] for status in statuses])
    page, about = paging.page(found, request, by="submitted_at")
    return about | {"Assignments": showing.assignments(page)}


@operation("GetAssignment")
def get_assignment(caller: Caller, request: JSON) -> JSON:
    """One assignment that was submitted, with its HIT."""
    row = rows.assignment(caller, request["AssignmentId"])
    if row.state != lifecycle.SUBMITTED:
        raise _wrong_state("Reviewable,Approved,Rejected")
    listing = showing.listings(Listing.objects.filter(hit=row.hit_id)).get()
    return {"Assignment": showing.assignments([row])[0], "HIT": showing.hit(listing)}


@operation("ApproveAssignment")
def approve_assignment(caller: Caller, request: JSON) -> JSON:
    """Pay for an assignment; OverrideRejection also for one that was rejected, while its HIT exists."""
    terms.check(request)
    row = rows.assignment(caller, request["AssignmentId"])
    override = request.get("OverrideRejection", False)
    if row.approval == Assignment.Approved.REJECTED and row.hit.listing.deleted_at is not None:
        raise _wrong_state("Submitted")
    text = request.get("RequesterFeedback", "")
    try:
        done = approving.approve(row, text=text, source="wire", user=caller.key.user, override=override)
    except WrongState:
        done = False
    if not done:
        raise _wrong_state("Submitted")
    return {}


@operation("RejectAssignment")
def reject_assignment(caller: Caller, request: JSON) -> JSON:
    """Refuse to pay for an assignment. The feedback must be there, but may be empty."""
    terms.check(request)
    row = rows.assignment(caller, request["AssignmentId"])
    try:
        done = approving.reject(row, text=request["RequesterFeedback"], source="wire", user=caller.key.user)
    except WrongState:
        done = False
    if not done:
        raise _wrong_state("Submitted")
    return {}


def _wrong_state(*allowed: str) -> WireError:
    message = f"This operation can be called with a status of: {','.join(allowed)}"
    return WireError(message, code="InvalidAssignmentState")


@operation("GetFileUploadURL")
def get_file_upload_url(caller: Caller, request: JSON) -> JSON:
    """Always an error: the service took files as answers until December 2017 only."""
    rows.assignment(caller, request["AssignmentId"])
    raise WireError(
        "GetFileUploadURL is deprecated: FileUploadAnswer is not supported since December 12, 2017, so no answer "
        "has a file. Let Workers upload files to a place of your own.",
        code="InvalidParameterValue",
    )
