"""HITs that exist: read, listed, extended, ended, marked, moved and deleted."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from annotation.flow import relisting, tokens
from annotation.flow.relisting import TooMany, WrongHitState
from annotation.models import HitType, Listing
from annotation.mturk_api import paging, rows, showing, terms
from annotation.mturk_api.errors import WireError
from annotation.mturk_api.registry import JSON, Caller, operation
from annotation.pure import requirements

FAMILY = "more assignments"


@operation("GetHIT")
def get_hit(caller: Caller, request: JSON) -> JSON:
    """One HIT, deleted or not."""
    return {"HIT": showing.hit(_standing(caller, request))}


def _standing(caller: Caller, request: JSON) -> Listing:
    found = rows.listing(caller, request["HITId"])
    return showing.listings(Listing.objects.filter(pk=found.pk)).get()


def _page(found: QuerySet[Listing], request: JSON) -> JSON:
    page, about = paging.page(showing.listings(found), request)
    return about | {"HITs": showing.hits(page)}


@operation("ListHITs")
def list_hits(caller: Caller, request: JSON) -> JSON:
    """Every HIT of the caller that was not deleted, oldest first."""
    return _page(Listing.objects.present().filter(project=caller.project), request)


@operation("ListReviewableHITs")
def list_reviewable_hits(caller: Caller, request: JSON) -> JSON:
    """HITs that nobody works on and nobody can get: Reviewable, or Reviewing where that is asked for."""
    over = Q(hit__room__lte=0) | Q(hit__closes_at__lte=Now()) | Q(hit__voided_at__isnull=False)
    reviewing = request.get("Status", "Reviewable") == "Reviewing"
    found = Listing.objects.present().filter(over, project=caller.project, hit__live=0, reviewing=reviewing)
    if "HITTypeId" in request:
        found = found.filter(hit__batch=rows.hit_type(caller, request["HITTypeId"]).batch_id)
    return _page(found, request)


@operation("ListHITsForQualificationType")
def list_hits_for_qualification_type(caller: Caller, request: JSON) -> JSON:
    """HITs that require a qualification of the type."""
    wanted = request["QualificationTypeId"]
    if wanted not in requirements.SYSTEM:
        rows.qualification_type(caller, wanted)
    types = HitType.objects.filter(project=caller.project).values_list("batch", "batch__requirements")
    batches = [pk for pk, asked in types if wanted in {row["type"] for row in asked}]
    return _page(Listing.objects.present().filter(project=caller.project, hit__batch__in=batches), request)


@operation("UpdateExpirationForHIT")
def update_expiration_for_hit(caller: Caller, request: JSON) -> JSON:
    """Give a HIT out for longer, or end it now with a time that is over."""
    listing = rows.listing(caller, request["HITId"])
    return _carry_out(lambda: relisting.expire_at(listing, request["ExpireAt"]))


@operation("CreateAdditionalAssignmentsForHIT")
def create_additional_assignments_for_hit(caller: Caller, request: JSON) -> JSON:
    """Ask for more assignments."""
    terms.check(request)
    listing = rows.listing(caller, request["HITId"])
    token = request.get("UniqueRequestToken")
    if token is not None:
        _use_up(caller, token, listing)
    return _carry_out(lambda: relisting.add_places(listing, request["NumberOfAdditionalAssignments"]))


def _use_up(caller: Caller, token: str, listing: Listing) -> None:
    try:
        tokens.spend(caller.project, FAMILY, token, result=listing.hit.public_id)
    except tokens.Spent as spent:
        message = f'The request with ID "{token}" for the HIT "{spent.result}" has already been processed.'
        raise WireError(message, code="AssignmentAlreadyExists") from None


@operation("UpdateHITReviewStatus")
def update_hit_review_status(caller: Caller, request: JSON) -> JSON:
    """Mark a Reviewable HIT as Reviewing; Revert takes the mark away."""
    listing = rows.listing(caller, request["HITId"])
    return _carry_out(lambda: relisting.review(listing, reviewing=not request.get("Revert", False)))


@operation("UpdateHITTypeOfHIT")
def update_hit_type_of_hit(caller: Caller, request: JSON) -> JSON:
    """Give a HIT the terms of another type."""
    listing = rows.listing(caller, request["HITId"])
    hit_type = rows.hit_type(caller, request["HITTypeId"])
    return _carry_out(lambda: relisting.change_type(listing, hit_type))


@operation("DeleteHIT")
def delete_hit(caller: Caller, request: JSON) -> JSON:
    """Dispose of a HIT of which every submitted assignment was decided on."""
    listing = rows.listing(caller, request["HITId"])
    return _carry_out(lambda: relisting.delete(listing))


def _carry_out(verb: Callable[[], None]) -> JSON:
    """`{}`, or the verb's refusal in the service's words."""
    try:
        verb()
    except WrongHitState as wrong:
        message = (
            f"This HIT is currently in the state '{wrong.where}'.  "
            f"This operation can be called with a status of: {', '.join(wrong.allowed)}"
        )
        raise WireError(message, code="InvalidHITState") from None
    except TooMany as many:
        raise WireError(str(many), code="InvalidMaximumAssignmentsIncrease") from None
    return {}
