"""HIT types: made, and HITs made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from annotation.flow import listing, tokens
from annotation.flow.listing import Wish
from annotation.models import HitType, Listing
from annotation.mturk_api import rows, showing, terms
from annotation.mturk_api.errors import WireError
from annotation.mturk_api.registry import JSON, Caller, operation
from annotation.mturk_api.service import invalid
from annotation.mturk_api.xml import read_xml
from annotation.pure import review_policies
from annotation.pure.policy_reading import BadPolicy
from annotation.pure.wire_xml import MOST_BYTES, read_question

FAMILY = "hit"
POLICIES: dict[str, Callable[[JSON], object]] = {
    "AssignmentReviewPolicy": review_policies.read_known_answers,
    "HITReviewPolicy": review_policies.read_plurality,
}


@operation("CreateHITType")
def create_hit_type(caller: Caller, request: JSON) -> JSON:
    """The type of these terms; the same terms are the same type."""
    made = listing.hit_type_of(caller.project, terms.read(caller, request), user=caller.key.user)
    return {"HITTypeId": made.public_id}


@operation("CreateHIT")
def create_hit(caller: Caller, request: JSON) -> JSON:
    """A HIT on terms of its own, which are a type like any other."""
    asked, wish = terms.read(caller, request), _wish(request)
    _use_up(caller, request, wish)
    made = listing.hit_type_of(caller.project, asked, user=caller.key.user)
    return _list(made, wish)


@operation("CreateHITWithHITType")
def create_hit_with_hit_type(caller: Caller, request: JSON) -> JSON:
    """A HIT on the terms of a type."""
    terms.check(request)
    wish = _wish(request)
    made = rows.hit_type(caller, request["HITTypeId"])
    _use_up(caller, request, wish)
    return _list(made, wish)


def _list(hit_type: HitType, wish: Wish) -> JSON:
    made = listing.list_hit(hit_type, wish)
    return {"HIT": showing.hit(showing.listings(Listing.objects.filter(pk=made.pk)).get())}


def _wish(request: JSON) -> Wish:
    """The HIT itself. Raises WireError."""
    return Wish(
        question=_question(request),
        lifetime=request["LifetimeInSeconds"],
        places=request.get("MaxAssignments", 1),
        annotation=request.get("RequesterAnnotation", ""),
        assignment_policy=_policy(request, "AssignmentReviewPolicy"),
        hit_policy=_policy(request, "HITReviewPolicy"),
    )


def _question(request: JSON) -> str:
    """The question's XML, read once to see that it can be. Raises WireError."""
    layout, question = request.get("HITLayoutId"), request.get("Question")
    if layout is not None and question is not None:
        raise WireError(
            "The combination of parameters is not valid: only one of Question, HITLayoutId can be given.",
            kind="InvalidParameterCombinationError",
        )
    if layout is not None:
        raise WireError(f"HITLayout {layout} does not exist.", code="HITLayoutDoesNotExist")
    if "HITLayoutParameters" in request or question is None:
        raise invalid("Either a Question parameter or a HITLayoutId parameter must be provided.")
    if len(question.encode()) > MOST_BYTES:
        raise invalid(f"Question must be at most {MOST_BYTES} bytes long; it is {len(question.encode())}.")
    read_xml(read_question, question)
    return str(question)


def _policy(request: JSON, name: str) -> dict[str, Any] | None:
    """A review policy as it was sent. Raises WireError for one that does not exist or does not belong here."""
    policy = request.get(name)
    if policy is None:
        return None
    try:
        POLICIES[name](policy)
    except BadPolicy as bad:
        raise invalid(f"{name}: {bad}.") from None
    return dict(policy)


def _use_up(caller: Caller, request: JSON, wish: Wish) -> None:
    token = request.get("UniqueRequestToken")
    if token is None:
        return
    try:
        tokens.spend(caller.project, FAMILY, token, result=wish.public_id)
    except tokens.Spent as spent:
        raise WireError(f'The HIT with ID "{spent.result}" already exists.', code="HITAlreadyExists") from None
