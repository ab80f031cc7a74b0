"""Errors as problem details (RFC 9457), with type, title, status and detail, and the invalid fields."""

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

from annotation.flow.errors import Conflict, Refused, is_database_unavailable
from annotation.flow.projects.idempotency import OtherRequest
from annotation.flow.setting_values import InvalidSettings

CONTENT_TYPE = "application/problem+json"
INVALID = HTTPStatus.UNPROCESSABLE_ENTITY
TOO_LARGE = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
ANY: Final = "any"
WRITES: Final = "writes"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A problem in the schema: its name, meaning and usual detail, and in which operations it occurs."""

    name: str
    means: str
    detail: str
    when: str = ANY
    members: dict[str, Any] = field(default_factory=dict)


PROBLEMS: Final[dict[HTTPStatus, ProblemType]] = {
    HTTPStatus.BAD_REQUEST: ProblemType(
        "Malformed", "The body cannot be read.",
        "The request body is not valid JSON: Expecting value: line 1 column 1 (char 0)", WRITES,
    ),
    HTTPStatus.UNAUTHORIZED: ProblemType(
        "NotKnown", "No valid token or session.", "This token is not valid: it is unknown, revoked or expired."
    ),
    HTTPStatus.FORBIDDEN: ProblemType(
        "NotAllowed", "Your role or token does not allow it.", "This token is read-only."
    ),
    HTTPStatus.NOT_FOUND: ProblemType(
        "NotThere", "It does not exist, or you may not see it.", gettext_noop("Not found.")
    ),
    HTTPStatus.NOT_ACCEPTABLE: ProblemType(
        "NoSuchForm", "Responses are JSON.", "Could not satisfy the request Accept header."
    ),
    HTTPStatus.CONFLICT: ProblemType(
        "Refused", "Not possible in the current state; nothing changed.",
        "wells is used by a batch or by a derived dataset, so it cannot be deleted.", WRITES,
    ),
    TOO_LARGE: ProblemType("TooLarge", "The body is too large.", "The body is larger than 2 MB.", WRITES),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: ProblemType(
        "NoSuchContent", "The body has an unsupported media type.",
        'Unsupported media type "text/plain" in request.', WRITES,
    ),
    INVALID: ProblemType(
        "Unfit", "Fields are missing or invalid; nothing changed.", "name: This field is required.",
        members={"errors": [{"field": "name", "detail": "This field is required."}]},
    ),
    HTTPStatus.TOO_MANY_REQUESTS: ProblemType(
        "TooMany", "Too many requests; wait as long as Retry-After says.",
        "Request was throttled. Expected available in 12 seconds.",
    ),
    HTTPStatus.SERVICE_UNAVAILABLE: ProblemType(
        "Away", "The database is not available right now; nothing changed.",
        gettext_noop("The database is not available right now. Nothing was changed. Send the same request again in a "
                     "moment."),
    ),
}  # fmt: skip


class FlawSerializer(serializers.Serializer):
    """An invalid field of a request."""

    field = serializers.CharField(help_text="Its path: `outer.inner`; `request` for the whole request.")
    detail = serializers.CharField()


class ProblemSerializer(serializers.Serializer):
    """Problem details (RFC 9457)."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(allow_blank=True)
    errors = FlawSerializer(many=True, required=False, help_text="The invalid fields.")  # type: ignore[assignment]  # a field of that name
    report = serializers.DictField(required=False, help_text="Errors by record, if a file was refused.")
    retry = serializers.BooleanField(required=False, help_text="Something changed first: read again, then retry.")


def handle_exception(error: Exception, context: dict[str, Any]) -> Response:
    """The response to an exception of a view."""
    if isinstance(error, InvalidSettings):
        error = ValidationError(error.problems)
    if isinstance(error, Refused):
        return _refused(error)
    if isinstance(error, DjangoValidationError):
        error = ValidationError(getattr(error, "message_dict", None) or error.messages)
    if isinstance(error, ValidationError):
        errors = list(_fields(error.detail))
        return problem(INVALID, "; ".join(f"{e['field']}: {e['detail']}" for e in errors), errors=errors)
    response = exception_handler(error, context)
    if response is not None:
        status = HTTPStatus(response.status_code)
        detail = str(error.detail) if isinstance(error, APIException) else _(PROBLEMS[status].detail)
        return problem(status, detail, headers=dict(response.headers))
    if isinstance(error, RequestDataTooBig):
        return problem(TOO_LARGE, _("The request body is too large."))
    if isinstance(error, SuspiciousOperation):
        return problem(HTTPStatus.BAD_REQUEST, _("The request is not readable."))
    if is_database_unavailable(error):
        known = PROBLEMS[HTTPStatus.SERVICE_UNAVAILABLE]
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, _(known.detail), headers={"Retry-After": "5"})
    log.exception("a request to the API failed", exc_info=error)
    got_request_exception.send(sender=None, request=_plain(context.get("request")))
    broken = _("Something went wrong on our side. It was logged, and nothing was changed.")
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, broken)


def problem(status: HTTPStatus, detail: str = "", *, headers: dict[str, str] | None = None, **members: Any) -> Response:
    """A problem response; `members` are its extension members."""
    content = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": detail, **members}
    kept = {name: value for name, value in (headers or {}).items() if name.lower() != "content-type"}
    return Response(content, status=status, headers=kept, content_type=CONTENT_TYPE)


def _refused(error: Refused) -> Response:
    """The response to a refusal: 409; 422 for a refused file, with its report, and for a reused Idempotency-Key."""
    report = getattr(error, "report", None)
    status = INVALID if isinstance(error, OtherRequest) or report else HTTPStatus.CONFLICT
    members: dict[str, Any] = {"report": report} if report else {}
    if isinstance(error, Conflict):
        members["retry"] = True
    return problem(status, str(error), **members)


def _fields(detail: Any, path: str = "") -> Iterator[dict[str, str]]:
    """Yield {"field", "detail"} for each error; a nested field is `outer.inner`, one of a list `outer.2`."""
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
