"""Idempotent writes: the same request under the same key gets the stored response."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.models import ApiRequest, User, clock

LASTS = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Answer:
    """A stored response: HTTP status, JSON value and the URL of the created object."""

    status: int
    content: Any
    location: str = ""
    repeated: bool = False


class OtherRequest(Refused):
    """The key was used for another request."""


def once(user: User, key: str, digest: str, act: Callable[[], Answer]) -> Answer:
    """Run `act` and store its response in one transaction, or return the stored response.

    An exception of `act` rolls everything back and frees the key. A simultaneous request with the same key waits for
    the first. Raises OtherRequest if the key was used for another request.
    """
    ApiRequest.objects.filter(user=user, key=key, created_at__lte=clock.now() - LASTS).delete()
    try:
        with transaction.atomic():
            row = _claim(user, key, digest)
            answer = act()
            response = {"status": answer.status, "answer": answer.content, "location": answer.location}
            ApiRequest.objects.filter(pk=row.pk).update(**response)
            return answer
    except _Taken:
        return _before(user, key, digest)


class _Taken(Exception):
    pass


def _claim(user: User, key: str, digest: str) -> ApiRequest:
    try:
        # A savepoint: after an IntegrityError PostgreSQL refuses everything else in the transaction.
        with transaction.atomic():
            return ApiRequest.objects.create(user=user, key=key, digest=digest)
    except IntegrityError:
        raise _Taken from None


def _before(user: User, key: str, digest: str) -> Answer:
    row = ApiRequest.objects.get(user=user, key=key)
    if row.digest != digest:
        raise OtherRequest(_("This Idempotency-Key was used for a different request. Use a new key for each request."))
    return Answer(row.status, row.answer, row.location, repeated=True)


def forget_old() -> int:
    """Delete responses older than a day; returns how many. Safe to run twice."""
    return ApiRequest.objects.filter(created_at__lte=clock.now() - LASTS).delete()[0]
