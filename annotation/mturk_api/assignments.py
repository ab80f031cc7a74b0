"""Assignments: list, read, approve and reject."""

from collections.abc import Callable
from typing import Any

from annotation.flow.review import assignment_approval
from annotation.flow.review.assignment_approval import WrongState
from annotation.models import Assignment
from annotation.mturk_api import paging, representation, rows
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
    page, about = paging.page(submitted, request, by="submitted_at")
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
