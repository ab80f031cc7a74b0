"""The caller's rows by the API's ids. Rows of other requesters give the error for unknown ids."""

from annotation.models import Assignment, QualificationRequest, QualificationType, Worker
from annotation.mturk_api.errors import RequestError
from annotation.mturk_api.models import HitType, Listing
from annotation.mturk_api.registry import Caller


def qualification_type(caller: Caller, public_id: str, *, deleted: bool = False) -> QualificationType:
    """A type of the caller; deleted ones only with `deleted`. Raises RequestError."""
    rows = QualificationType.objects.filter(project=caller.project, public_id=public_id)
    found = (rows if deleted else rows.filter(deleted_at__isnull=True)).first()
    if found is None:
        raise no_type(public_id)
    return found


def no_type(public_id: str) -> RequestError:
    return RequestError(f"Qualification type {public_id} does not exist.", code="QualificationTypeDoesNotExist")


def worker(caller: Caller, public_id: str) -> Worker:
    """A worker of the caller's project. Raises RequestError."""
    found = Worker.objects.filter(project=caller.project, public_id=public_id).first()
    if found is None:
        raise RequestError("WorkerId is invalid.", code="InvalidParameterValue")
    return found


def qualification_request(caller: Caller, public_id: str) -> QualificationRequest:
    """A request for one of the caller's types. Raises RequestError."""
    rows = QualificationRequest.objects.filter(type__project=caller.project).exclude(state="testing")
    found = rows.select_related("type", "worker").filter(public_id=public_id).first()
    if found is None:
        raise RequestError(
            f"Qualification request {public_id} does not exist.", code="QualificationRequestDoesNotExist"
        )
    return found


def assignment(caller: Caller, public_id: str) -> Assignment:
    """An assignment of one of the caller's HITs. Raises RequestError."""
    rows = Assignment.objects.filter(hit__listing__project=caller.project, public_id=public_id)
    found = rows.select_related("batch__project", "hit", "worker").first()
    if found is None:
        raise RequestError(f"Assignment {public_id} does not exist.", code="AssignmentDoesNotExist")
    return found


def hit_type(caller: Caller, public_id: str) -> HitType:
    """One of the caller's HIT types. Raises RequestError."""
    found = HitType.objects.filter(project=caller.project, public_id=public_id).first()
    if found is None:
        raise RequestError(f"HITType {public_id} does not exist.", code="HITTypeDoesNotExist")
    return found


def listing(caller: Caller, hit_id: str) -> Listing:
    """One of the caller's HITs, deleted or not. Raises RequestError."""
    rows = Listing.objects.select_related("hit__batch")
    found = rows.filter(project=caller.project, hit__public_id=hit_id).first()
    if found is None:
        raise RequestError(f"Hit {hit_id} does not exist.", code="HITDoesNotExist")
    return found
