"""Writes that may be sent twice: the second time under the same key they get the first time's answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow.refusal import Refused
from annotation.models import ApiRequest, User, clock

LASTS = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a write answered: HTTP's status, a JSON value and where what it made is found."""

    status: int
    content: Any
    location: str = ""
    repeated: bool = False


class OtherRequest(Refused):
    """The key belongs to a request with another content."""


def once(user: User, key: str, digest: str, act: Callable[[], Answer]) -> Answer:
    """Carry `act` out and keep its answer in one transaction, or return what it answered before.

    Whatever `act` raises undoes it, and the key is free again; so a call that died is as if it had not been made.
    Whoever sends the same at the same time waits for the first. Raises OtherRequest where the key was used for
    something else.
    """
    ApiRequest.objects.filter(user=user, key=key, created_at__lte=clock.now() - LASTS).delete()
    try:
        with transaction.atomic():
            row = _claim(user, key, digest)
            answer = act()
            ApiRequest.objects.filter(pk=row.pk).update(
                status=answer.status, answer=answer.content, location=answer.location
            )
            return answer
    except _Taken:
        return _before(user, key, digest)


class _Taken(Exception):
    pass


def _claim(user: User, key: str, digest: str) -> ApiRequest:
    try:
        with transaction.atomic():
            return ApiRequest.objects.create(user=user, key=key, digest=digest)
    except IntegrityError:
        raise _Taken from None


def _before(user: User, key: str, digest: str) -> Answer:
    row = ApiRequest.objects.get(user=user, key=key)
    if row.digest != digest:
        raise OtherRequest(_("This Idempotency-Key was used for another request. Give each request a key of its own."))
    return Answer(row.status, row.answer, row.location, repeated=True)


def forget_old() -> int:
    """Remove answers that are older than a day; returns how many. Safe to run twice."""
    return ApiRequest.objects.filter(created_at__lte=clock.now() - LASTS).delete()[0]
