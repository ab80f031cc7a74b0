"""HIT types, and HITs: create, read, list, extend, expire, review status, change type, delete; policies' results."""

from collections.abc import Callable
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from annotation.mturk_api import representation, rows
from annotation.mturk_api.calls import JSON, Caller, RequestError, operation
from annotation.mturk_api.flow import hit_changes, hit_creation, hit_funds, policy_actions, request_tokens
from annotation.mturk_api.flow.hit_changes import TooMany, WrongHitState
from annotation.mturk_api.flow.hit_creation import HitRequest
from annotation.mturk_api.models import HitType, Listing, PolicyOutcome
from annotation.mturk_api.representation import read_xml
from annotation.mturk_api.service import invalid
from annotation.pure.mturk import review_policies
from annotation.pure.mturk.mturk_xml import MOST_BYTES, read_question
from annotation.pure.mturk.review_policies import BadPolicy
from annotation.pure.people import requirements

FAMILY = "more assignments"
POLICIES: dict[str, Callable[[JSON], object]] = {
    "AssignmentReviewPolicy": review_policies.read_known_answers,
    "HITReviewPolicy": review_policies.read_plurality,
}


@operation("CreateHITType")
def create_hit_type(caller: Caller, request: JSON) -> JSON:
    """The HIT type with these terms, created if new; equal terms are the same type."""
    made = hit_creation.hit_type_of(caller.project, representation.read(caller, request), user=caller.key.user)
    return {"HITTypeId": made.public_id}


@operation("CreateHIT", atomic=False)
def create_hit(caller: Caller, request: JSON) -> JSON:
    """Create a HIT with terms given in the request, which become a HIT type."""
    terms, wanted = representation.read(caller, request), _hit_request(request)
    return _create(hit_creation.hit_type_of(caller.project, terms, user=caller.key.user), wanted, request)


@operation("CreateHITWithHITType", atomic=False)
def create_hit_with_hit_type(caller: Caller, request: JSON) -> JSON:
    """Create a HIT with the terms of a type."""
    representation.check(request)
    wanted = _hit_request(request)
    return _create(rows.hit_type(caller, request["HITTypeId"]), wanted, request)


def _create(hit_type: HitType, wanted: HitRequest, request: JSON) -> JSON:
    try:
        made = hit_creation.list_hit(hit_type, wanted, token=request.get("UniqueRequestToken", ""))
    except request_tokens.Spent as spent:
        raise RequestError(f'The HIT with ID "{spent.result}" already exists.', code="HITAlreadyExists") from None
    return {"HIT": representation.hit(made)}


def _hit_request(request: JSON) -> HitRequest:
    """The requested HIT. Raises RequestError."""
    return HitRequest(
        question=_question(request),
        lifetime=request["LifetimeInSeconds"],
        places=request.get("MaxAssignments", 1),
        annotation=request.get("RequesterAnnotation", ""),
        assignment_policy=_policy(request, "AssignmentReviewPolicy"),
        hit_policy=_policy(request, "HITReviewPolicy"),
    )


def _question(request: JSON) -> str:
    """The question's XML, validated. Raises RequestError."""
    layout, question = request.get("HITLayoutId"), request.get("Question")
    if layout is not None and question is not None:
        raise RequestError(
            "The combination of parameters is not valid: only one of Question, HITLayoutId can be given.",
            kind="InvalidParameterCombinationError",
        )
    if layout is not None:
        raise RequestError(f"HITLayout {layout} does not exist.", code="HITLayoutDoesNotExist")
    if "HITLayoutParameters" in request or question is None:
        raise invalid("Either a Question parameter or a HITLayoutId parameter must be provided.")
    if len(question.encode()) > MOST_BYTES:
        raise invalid(f"Question must be at most {MOST_BYTES} bytes long; it is {len(question.encode())}.")
    read_xml(read_question, question)
    return str(question)


def _policy(request: JSON, name: str) -> dict[str, Any] | None:
    """A review policy as sent. Raises RequestError for an unknown or misplaced one."""
    policy = request.get(name)
    if policy is None:
        return None
    try:
        POLICIES[name](policy)
    except BadPolicy as bad:
        raise invalid(f"{name}: {bad}.") from None
    return dict(policy)


@operation("GetHIT", atomic=False)
def get_hit(caller: Caller, request: JSON) -> JSON:
    """One HIT, even if deleted."""
    return {"HIT": representation.hit(rows.listing(caller, request["HITId"]))}


def _page(listings: QuerySet[Listing], request: JSON) -> JSON:
    page, about = rows.page(listings.only("created_at"), request)
    # By their keys, so that the joins have no part in how the page is found.
    found = hit_funds.with_hit_state(Listing.objects.all()).in_bulk([row.pk for row in page])
    return about | {"HITs": representation.hits([found[row.pk] for row in page])}


@operation("ListHITs", atomic=False)
def list_hits(caller: Caller, request: JSON) -> JSON:
    """Every HIT of the caller that was not deleted, oldest first."""
    with rows.in_index_order():
        return _page(Listing.objects.present().filter(project=caller.project), request)


@operation("ListReviewableHITs", atomic=False)
def list_reviewable_hits(caller: Caller, request: JSON) -> JSON:
    """HITs without assignments under way or free: Reviewable, or Reviewing on request."""
    over = Q(hit__room__lte=0) | Q(hit__closes_at__lte=Now()) | Q(hit__excluded_at__isnull=False)
    reviewing = request.get("Status", "Reviewable") == "Reviewing"
    listings = Listing.objects.present().filter(over, project=caller.project, hit__live=0, reviewing=reviewing)
    if "HITTypeId" in request:
        listings = listings.filter(hit__batch=rows.hit_type(caller, request["HITTypeId"]).batch_id)
    return _page(listings, request)


@operation("ListHITsForQualificationType", atomic=False)
def list_hits_for_qualification_type(caller: Caller, request: JSON) -> JSON:
    """HITs that require a qualification of the type."""
    wanted = request["QualificationTypeId"]
    if wanted not in requirements.SYSTEM:
        rows.qualification_type(caller, wanted)
    types = HitType.objects.filter(project=caller.project).values_list("batch", "batch__requirements")
    batches = [pk for pk, conditions in types if wanted in {row["type"] for row in conditions}]
    return _page(Listing.objects.present().filter(project=caller.project, hit__batch__in=batches), request)


@operation("UpdateExpirationForHIT")
def update_expiration_for_hit(caller: Caller, request: JSON) -> JSON:
    """Extend a HIT, or end it now with a past time."""
    listing = rows.listing(caller, request["HITId"])
    return _carry_out(lambda: hit_changes.expire_at(listing, request["ExpireAt"]))


@operation("CreateAdditionalAssignmentsForHIT")
def create_additional_assignments_for_hit(caller: Caller, request: JSON) -> JSON:
    """Add assignments."""
    representation.check(request)
    listing = rows.listing(caller, request["HITId"])
    used = 'The request with ID "{token}" for the HIT "{result}" has already been processed.'
    public_id = listing.hit.public_id
    rows.use_up_token(caller, request, FAMILY, result=public_id, used=used, code="AssignmentAlreadyExists")
    return _carry_out(lambda: hit_changes.add_assignments(listing, request["NumberOfAdditionalAssignments"]))


@operation("UpdateHITReviewStatus")
def update_hit_review_status(caller: Caller, request: JSON) -> JSON:
    """Mark a Reviewable HIT as Reviewing; Revert undoes that."""
    listing = rows.listing(caller, request["HITId"])
    return _carry_out(lambda: hit_changes.review(listing, reviewing=not request.get("Revert", False)))


@operation("UpdateHITTypeOfHIT")
def update_hit_type_of_hit(caller: Caller, request: JSON) -> JSON:
    """Give a HIT the terms of another type."""
    listing = rows.listing(caller, request["HITId"])
    hit_type = rows.hit_type(caller, request["HITTypeId"])
    return _carry_out(lambda: hit_changes.change_type(listing, hit_type))


@operation("DeleteHIT")
def delete_hit(caller: Caller, request: JSON) -> JSON:
    """Delete a HIT whose submitted assignments are all decided."""
    listing = rows.listing(caller, request["HITId"])
    return _carry_out(lambda: hit_changes.delete(listing))


def _carry_out(verb: Callable[[], None]) -> JSON:
    """Call the function; returns `{}`, or raises its refusal in MTurk's words."""
    try:
        verb()
    except WrongHitState as wrong:
        message = (
            f"This HIT is currently in the state '{wrong.where}'.  "
            f"This operation can be called with a status of: {', '.join(wrong.allowed)}"
        )
        raise RequestError(message, code="InvalidHITState") from None
    except TooMany as many:
        raise RequestError(str(many), code="InvalidMaximumAssignmentsIncrease") from None
    return {}


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
    page, about = rows.page(found, {"MaxResults": USUAL} | request)
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
