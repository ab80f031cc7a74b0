"""Error pages: a pause while the database is unavailable, an apology for errors."""

import sys
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views import defaults

from annotation.flow.errors import is_database_unavailable
from annotation.views.access import OtherRole

API = "/api/"  # clients are programs: they get problem details (RFC 9457) instead of pages
PROBLEM = "application/problem+json"


def _problem(status: HTTPStatus, detail: str) -> HttpResponse:
    content = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": detail}
    return JsonResponse(content, status=status, content_type=PROBLEM)


def pause(request: HttpRequest) -> HttpResponse:
    """503 with Retry-After, so that pages keep their content and try again."""
    if request.path_info.startswith(API):
        response = _problem(HTTPStatus.SERVICE_UNAVAILABLE, "The database does not answer just now. Nothing changed.")
        response["Retry-After"] = "2"
        return response
    response = render(request, "503.html", {"again": _sent(request), "here": request.get_full_path()}, status=503)
    response["Retry-After"] = "2"
    response["Cache-Control"] = "no-store"
    return response


def _sent(request: HttpRequest) -> list[tuple[str, str]]:
    """The fields of a form, for a button that sends it again; none if a page cannot or should not contain them."""
    fields = [(name, value) for name, values in request.POST.lists() for value in values]
    return [] if request.FILES or any("password" in name for name, _value in fields) else fields


def frameable(response: HttpResponse) -> HttpResponse:
    """The response, allowed in frames of other sites."""
    response.xframe_options_exempt = True
    response._csp_replace = {"frame-ancestors": None}  # type: ignore[attr-defined]  # for django-csp
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500; also reached if the database fails outside of a view, as for the session."""
    response = _broken(request)
    return frameable(response) if hasattr(request, "framed_anywhere") else response


def _broken(request: HttpRequest) -> HttpResponse:
    if is_database_unavailable(sys.exc_info()[1]):
        return pause(request)
    if request.path_info.startswith(API):
        return _problem(HTTPStatus.INTERNAL_SERVER_ERROR, "Something is broken here; it was noted. Nothing changed.")
    return defaults.server_error(request)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler403. The reason is shown only to members about their role."""
    why = str(exception) if isinstance(exception, OtherRole) else ""
    return render(request, "403.html", {"why": why}, status=HTTPStatus.FORBIDDEN)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler400."""
    if request.path_info.startswith(API):
        return _problem(HTTPStatus.BAD_REQUEST, "The request cannot be read.")
    return defaults.bad_request(request, exception)
