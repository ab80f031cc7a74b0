"""The caller's rows by the protocol's ids. What belongs to another requester does not exist."""

from __future__ import annotations

from annotation.models import Assignment, HitType, Listing, QualificationRequest, QualificationType, Worker
from annotation.mturk_api.errors import WireError
from annotation.mturk_api.registry import Caller


def qualification_type(caller: Caller, public_id: str, *, deleted: bool = False) -> QualificationType:
    """A type of the caller's; those that were deleted only with `deleted`. Raises WireError."""
    rows = QualificationType.objects.filter(project=caller.project, public_id=public_id)
    found = (rows if deleted else rows.filter(deleted_at__isnull=True)).first()
    if found is None:
        raise no_type(public_id)
    return found


def no_type(public_id: str) -> WireError:
    return WireError(f"Qualification type {public_id} does not exist.", code="QualificationTypeDoesNotExist")


def worker(caller: Caller, public_id: str) -> Worker:
    """A worker of the caller's project; nobody else can have worked for them. Raises WireError."""
    found = Worker.objects.filter(project=caller.project, public_id=public_id).first()
    if found is None:
        raise WireError("WorkerId is invalid.", code="InvalidParameterValue")
    return found


def qualification_request(caller: Caller, public_id: str) -> QualificationRequest:
    """A request for one of the caller's types. Raises WireError."""
    rows = QualificationRequest.objects.filter(type__project=caller.project).exclude(state="testing")
    found = rows.select_related("type", "worker").filter(public_id=public_id).first()
    if found is None:
        raise WireError(f"Qualification request {public_id} does not exist.", code="QualificationRequestDoesNotExist")
    return found


def assignment(caller: Caller, public_id: str) -> Assignment:
    """An assignment of one of the caller's HITs. Raises WireError."""
    rows = Assignment.objects.filter(hit__listing__project=caller.project, public_id=public_id)
    found = rows.select_related("batch__project", "batch__connection", "hit", "worker").first()
    if found is None:
        raise WireError(f"Assignment {public_id} does not exist.", code="AssignmentDoesNotExist")
    return found


def hit_type(caller: Caller, public_id: str) -> HitType:
    """One of the caller's HIT types. Raises WireError."""
    found = HitType.objects.filter(project=caller.project, public_id=public_id).first()
    if found is None:
        raise WireError(f"HITType {public_id} does not exist.", code="HITTypeDoesNotExist")
    return found


def listing(caller: Caller, hit_id: str) -> Listing:
    """One of the caller's HITs, deleted or not. Raises WireError."""
    rows = Listing.objects.select_related("hit__batch")
    found = rows.filter(project=caller.project, hit__public_id=hit_id).first()
    if found is None:
        raise WireError(f"Hit {hit_id} does not exist.", code="HITDoesNotExist")
    return found
