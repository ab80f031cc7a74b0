"""Errors as problem details (RFC 9457): every one has type, title, status and detail, and names the fields at fault."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.signals import got_request_exception
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from rest_framework import serializers
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotation.flow.refusal import Conflict, Refused, is_away
from annotation.flow.repeating import OtherRequest

CONTENT_TYPE = "application/problem+json"
UNFIT = HTTPStatus.UNPROCESSABLE_ENTITY
TOO_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
ANY: Final = "any"
WRITES: Final = "writes"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Told:
    """A problem as the schema tells it: what it is called and means, its usual detail, and when it may come."""

    name: str
    means: str
    detail: str
    when: str = ANY
    members: dict[str, Any] = field(default_factory=dict)


PROBLEMS: Final[dict[HTTPStatus, Told]] = {
    HTTPStatus.BAD_REQUEST: Told(
        "Malformed", "The body cannot be read.", "The body is no JSON: Expecting value at line 1.", WRITES
    ),
    HTTPStatus.UNAUTHORIZED: Told(
        "NotKnown", "Nobody is signed in.", "This token opens nothing: it is unknown, revoked, or over."
    ),
    HTTPStatus.FORBIDDEN: Told("NotAllowed", "Your role or token does not allow it.", "This token may only read."),
    HTTPStatus.NOT_FOUND: Told(
        "NotThere", "Nothing is there, or it is not yours to see.", gettext_noop("Nothing is here that you could see.")
    ),
    HTTPStatus.NOT_ACCEPTABLE: Told(
        "NoSuchForm", "Answers are JSON.", "Could not satisfy the request Accept header."
    ),
    HTTPStatus.CONFLICT: Told(
        "Refused", "It cannot be done as things stand; nothing changed.",
        "wells is used by a batch, or another dataset descends from it, so it stays.", WRITES,
    ),
    TOO_LARGE: Told("TooLarge", "The body is too large.", "The body has more than 2 MB.", WRITES),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: Told(
        "NoSuchContent", "The body is in a form that is not read here.",
        'Unsupported media type "text/plain" in request.', WRITES,
    ),
    UNFIT: Told(
        "Unfit", "Fields are missing or do not fit; nothing changed.", "name: This field is required.",
        members={"errors": [{"field": "name", "detail": "This field is required."}]},
    ),
    HTTPStatus.TOO_MANY_REQUESTS: Told(
        "TooMany", "Too many requests; wait as long as Retry-After says.",
        "Request was throttled. Expected available in 12 seconds.",
    ),
    HTTPStatus.SERVICE_UNAVAILABLE: Told(
        "Away", "The database does not answer just now; nothing changed.",
        gettext_noop("The database does not answer just now. Nothing was changed; send the same again in a moment."),
    ),
}  # fmt: skip


class FlawSerializer(serializers.Serializer):
    field = serializers.CharField(help_text="its path: `outer.inner`; `request` for the whole")
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer):
    """Problem details (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(allow_blank=True)
    errors = FlawSerializer(many=True, required=False, help_text="what is wrong with which field")
    report = serializers.DictField(required=False, help_text="of a file that was refused: record by record")
    retry = serializers.BooleanField(required=False, help_text="somebody was first; look again and send it anew")


def answer(error: Exception, context: dict[str, Any]) -> Response:
    """The response to whatever a view raised."""
    if isinstance(error, Refused):
        return _refused(error)
    if isinstance(error, DjangoValidationError):
        error = ValidationError(getattr(error, "message_dict", None) or error.messages)
    if isinstance(error, ValidationError):
        errors = list(_fields(error.detail))
        return problem(UNFIT, "; ".join(f"{e['field']}: {e['detail']}" for e in errors), errors=errors)
    response = exception_handler(error, context)
    if response is not None:
        status = HTTPStatus(response.status_code)
        detail = str(error.detail) if isinstance(error, APIException) else _(PROBLEMS[status].detail)
        return problem(status, detail, headers=dict(response.headers))
    if isinstance(error, RequestDataTooBig):
        return problem(TOO_LARGE, _("The body is larger than is read here."))
    if isinstance(error, SuspiciousOperation):
        return problem(HTTPStatus.BAD_REQUEST, _("The request cannot be read."))
    if is_away(error):
        known = PROBLEMS[HTTPStatus.SERVICE_UNAVAILABLE]
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, _(known.detail), headers={"Retry-After": "5"})
    log.exception("a request to the API failed", exc_info=error)
    got_request_exception.send(sender=None, request=_plain(context.get("request")))
    broken = _("Something is broken here; it was noted. Nothing was changed.")
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, broken)


def problem(status: HTTPStatus, detail: str = "", *, headers: dict[str, str] | None = None, **members: Any) -> Response:
    """A problem-details response; `members` are its extension members."""
    content = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": detail, **members}
    kept = {name: value for name, value in (headers or {}).items() if name.lower() != "content-type"}
    return Response(content, status=status, headers=kept, content_type=CONTENT_TYPE)


def _refused(error: Refused) -> Response:
    """A verb said no: 409, or 422 where the content is at fault; a report of an import comes with it."""
    report = getattr(error, "report", None)
    status = UNFIT if isinstance(error, OtherRequest) or report else HTTPStatus.CONFLICT
    members: dict[str, Any] = {"report": report} if report else {}
    if isinstance(error, Conflict):
        members["retry"] = True
    return problem(status, str(error), **members)


def _fields(detail: Any, path: str = "") -> Iterator[dict[str, str]]:
    """{"field", "detail"} for each flaw; a field within a field is `outer.inner`, one of a list `outer.2`."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _fields(inner, _joined(path, "" if name == "non_field_errors" else str(name)))
    elif isinstance(detail, list):
        for number, inner in enumerate(detail):
            nested = isinstance(inner, dict | list)
            yield from _fields(inner, _joined(path, str(number)) if nested else path)
    else:
        yield {"field": path or "request", "detail": str(detail)}


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path and name else path or name


def _plain(request: Any) -> Any:
    return request._request if isinstance(request, Request) else request
