"""The caller's rows by the API's ids. Rows of other requesters give the error for unknown ids."""

from typing import TypeVar

from django.db.models import Model, QuerySet

from annotation.models import Assignment, QualificationRequest, QualificationType, Worker
from annotation.mturk_api.calls import JSON, Caller, RequestError, invalid_value
from annotation.mturk_api.flow import hit_creation, hit_funds, request_tokens
from annotation.mturk_api.models import HitType, Listing

Row = TypeVar("Row", bound=Model)


def qualification_type(caller: Caller, public_id: str, *, deleted: bool = False) -> QualificationType:
    """A type of the caller; deleted ones only with `deleted`. Raises RequestError."""
    rows = QualificationType.objects.filter(project=caller.project, public_id=public_id)
    return _only(rows if deleted else rows.filter(deleted_at__isnull=True), no_type(public_id))


def no_type(public_id: str) -> RequestError:
    return RequestError(f"Qualification type {public_id} does not exist.", code="QualificationTypeDoesNotExist")


def worker(caller: Caller, public_id: str) -> Worker:
    """A worker of the caller's project. Raises RequestError."""
    rows = Worker.objects.filter(project=caller.project, public_id=public_id)
    return _only(rows, invalid_value("WorkerId is invalid."))


def qualification_request(caller: Caller, public_id: str) -> QualificationRequest:
    """A request for one of the caller's types. Raises RequestError."""
    rows = QualificationRequest.objects.filter(type__project=caller.project, public_id=public_id)
    rows = rows.exclude(state="testing").select_related("type", "worker")
    text = f"Qualification request {public_id} does not exist."
    return _only(rows, RequestError(text, code="QualificationRequestDoesNotExist"))


def assignment(caller: Caller, public_id: str) -> Assignment:
    """An assignment of one of the caller's HITs. Raises RequestError."""
    rows = Assignment.objects.filter(hit__listing__project=caller.project, public_id=public_id)
    unknown = RequestError(f"Assignment {public_id} does not exist.", code="AssignmentDoesNotExist")
    return _only(rows.select_related("batch__project", "hit", "worker"), unknown)


def hit_type(caller: Caller, public_id: str) -> HitType:
    """One of the caller's HIT types. Raises RequestError."""
    found = hit_creation.hit_type_with(caller.project, public_id)
    if found is None:
        raise RequestError(f"HITType {public_id} does not exist.", code="HITTypeDoesNotExist")
    return found


def listing(caller: Caller, hit_id: str) -> Listing:
    """One of the caller's HITs, deleted or not, as from `hit_funds.with_hit_state`. Raises RequestError."""
    for found in hit_funds.listing_of(caller.project.pk, hit_id):
        return found
    raise RequestError(f"Hit {hit_id} does not exist.", code="HITDoesNotExist")


def _only(rows: QuerySet[Row], unknown: RequestError) -> Row:
    row = rows.first()
    if row is None:
        raise unknown
    return row


def use_up_token(caller: Caller, request: JSON, family: str, *, result: str, used: str, code: str) -> None:
    """Use the request's token, if it has one. Raises RequestError with the text `used` if it was used before."""
    token = request.get("UniqueRequestToken")
    if not token:
        return
    try:
        request_tokens.spend(caller.project, family, token, result=result)
    except request_tokens.Spent as spent:
        raise RequestError(used.format(token=token, result=spent.result), code=code) from None
