"""Results and actions of a HIT's review policies."""

from annotation.mturk_api import paging, rows
from annotation.mturk_api.calls import JSON, Caller, operation
from annotation.mturk_api.flow import policy_actions
from annotation.mturk_api.models import PolicyOutcome
from annotation.pure.mturk import review_policies

USUAL = 100  # rows without MaxResults in the request: old clients read only one page
REPORTS = {review_policies.ASSIGNMENT: "AssignmentReviewReport", review_policies.HIT: "HITReviewReport"}


@operation("ListReviewPolicyResultsForHIT")
def list_review_policy_results_for_hit(caller: Caller, request: JSON) -> JSON:
    """Results and actions in order of creation, of the requested levels and sorts."""
    listing = rows.listing(caller, request["HITId"])
    if listing.deleted_at is None:
        policy_actions.catch_up(listing)
    levels = request.get("PolicyLevels") or list(REPORTS)
    found = PolicyOutcome.objects.filter(listing=listing, level__in=levels)
    if not request.get("RetrieveActions", True):
        found = found.filter(action=False)
    if not request.get("RetrieveResults", True):
        found = found.filter(action=True)
    page, about = paging.page(found, {"MaxResults": USUAL} | request)
    data: JSON = {
        "HITId": listing.hit.public_id,
        "AssignmentReviewPolicy": listing.assignment_policy,
        "HITReviewPolicy": listing.hit_policy,
        "NextToken": about.get("NextToken"),
    }
    return data | {REPORTS[level]: _report([row for row in page if row.level == level]) for level in levels}


def _report(outcomes: list[PolicyOutcome]) -> JSON:
    return {
        "ReviewResults": [_result(row) for row in outcomes if not row.action],
        "ReviewActions": [_action(row) for row in outcomes if row.action],
    }


def _result(row: PolicyOutcome) -> JSON:
    return {
        "ActionId": row.public_id,
        "SubjectId": row.subject_id,
        "SubjectType": row.subject_type,
        "QuestionId": row.question_id or None,
        "Key": row.key,
        "Value": row.value,
    }


def _action(row: PolicyOutcome) -> JSON:
    return {
        "ActionId": row.public_id,
        "ActionName": row.key,
        "TargetId": row.subject_id,
        "TargetType": row.subject_type,
        "Status": row.status.title(),
        "CompleteTime": row.done_at,
        "Result": row.value or None,
        "ErrorCode": row.error or None,
    }
