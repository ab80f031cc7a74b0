"""HIT types, and creating HITs."""

from collections.abc import Callable
from typing import Any

from annotation.mturk_api import representation, rows
from annotation.mturk_api.calls import JSON, Caller, RequestError, operation
from annotation.mturk_api.flow import hit_creation, request_tokens
from annotation.mturk_api.flow.hit_creation import HitRequest
from annotation.mturk_api.models import HitType
from annotation.mturk_api.representation import read_xml
from annotation.mturk_api.service import invalid
from annotation.pure.mturk import review_policies
from annotation.pure.mturk.mturk_xml import MOST_BYTES, read_question
from annotation.pure.mturk.policy_parameters import BadPolicy

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
    return _list(hit_creation.hit_type_of(caller.project, terms, user=caller.key.user), wanted, request)


@operation("CreateHITWithHITType", atomic=False)
def create_hit_with_hit_type(caller: Caller, request: JSON) -> JSON:
    """Create a HIT with the terms of a type."""
    representation.check(request)
    wanted = _hit_request(request)
    return _list(rows.hit_type(caller, request["HITTypeId"]), wanted, request)


def _list(hit_type: HitType, wanted: HitRequest, request: JSON) -> JSON:
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
