"""Cursor pagination, which neither skips nor repeats rows while rows are added."""

import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from annotation.mturk_api.calls import JSON, invalid_value

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
