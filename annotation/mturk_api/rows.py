"""The caller's rows by the API's ids, or in pages. Rows of other requesters give the error for unknown ids."""

import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Model, Q, QuerySet

from annotation.models import Assignment, QualificationRequest, QualificationType, Worker
from annotation.mturk_api.calls import JSON, Caller, RequestError, invalid_value
from annotation.mturk_api.flow import hit_creation, hit_funds, request_tokens
from annotation.mturk_api.models import HitType, Listing

DEFAULT_PAGE_SIZE = 10  # rows without MaxResults in the request


def page(rows: QuerySet[Any], request: JSON, *, by: str = "created_at") -> tuple[list[Any], JSON]:
    """The requested page of `rows`, ordered by time and key, and {"NumResults"[, "NextToken"]}.

    Every page with rows has a NextToken, even the last: the end is an empty page, as on MTurk. Raises RequestError for
    an invalid token.
    """
    if token := request.get("NextToken"):
        after, pk = _read(token)
        # The first condition repeats what the second says, as a range of the index.
        rows = rows.filter(Q(**{f"{by}__gte": after}), Q(**{f"{by}__gt": after}) | Q(pk__gt=pk))
    found = list(rows.order_by(by, "pk")[: request.get("MaxResults", DEFAULT_PAGE_SIZE)])
    info: JSON = {"NumResults": len(found)}
    if found:
        info["NextToken"] = _write(_value(found[-1], by), found[-1].pk)
    return found, info


@contextmanager
def in_index_order() -> Iterator[None]:
    """Inside, PostgreSQL reads an index in the order that is asked for, rather than all rows to sort them.

    Without statistics of a table it expects few matching rows, and would sort them.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_sort = off")
        yield


def page_after(first: Sequence[Any], rows: QuerySet[Any], request: JSON) -> tuple[list[Any], JSON]:
    """Like `page`, for a few rows outside the table that come before `rows`."""
    most = request.get("MaxResults", DEFAULT_PAGE_SIZE)
    after = _read(request["NextToken"]) if "NextToken" in request else None
    left = [row for row in first if after is None or (row.created_at, row.pk) > after][:most]
    rest, _info = page(rows, request | {"MaxResults": most - len(left)})
    found = [*left, *rest]
    info: JSON = {"NumResults": len(found)}
    return found, info | ({"NextToken": _write(found[-1].created_at, found[-1].pk)} if found else {})


def _value(row: Any, by: str) -> Any:
    for name in by.split("__"):
        row = getattr(row, name)
    return row


def _write(at: datetime, pk: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([at.isoformat(), pk]).encode()).decode()


def _read(token: str) -> tuple[datetime, int]:
    try:
        at, pk = json.loads(base64.urlsafe_b64decode(token.encode()))
        return datetime.fromisoformat(at).astimezone(UTC), int(pk)
    except (ValueError, TypeError, OverflowError, binascii.Error, UnicodeError):
        raise invalid_value("The NextToken is not valid.") from None


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
