"""What every request passes through: the viewer's time zone, who acts, calm answers while it cannot be served."""

import zoneinfo
from collections.abc import Callable
from urllib.parse import urlsplit

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from annotation.flow import recording
from annotation.flow.refusal import is_away
from annotation.views.failing import pause

View = Callable[[HttpRequest], HttpResponse]


class TimeZoneMiddleware:
    """Shows times in the zone that the viewer's browser names in the cookie `tz`; UTC without one."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            zone = zoneinfo.ZoneInfo(request.COOKIES.get("tz") or "UTC")
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
            zone = zoneinfo.ZoneInfo("UTC")
        with timezone.override(zone):
            return self.get_response(request)


class ActingMiddleware:
    """Says to the log of a project who acts: whoever the request turns out to come from."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        via = recording.Via.API if request.path.startswith("/api/") else recording.Via.PAGE
        with recording.acting(via, lambda: getattr(request, "user", None)):
            return self.get_response(request)


class DatabaseAwayMiddleware:
    """Turns a lost or locked database into 503 with Retry-After, so that pages keep their work and try again."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return pause(request) if is_away(error) else None


class SignedOutMiddleware:
    """Where a session ended: what was sent leads back to its page after signing in, and a fragment becomes 401.

    The address that a form is sent to is often no page, and a page for signing in is no fragment.
    """

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code != 302 or not response["Location"].startswith(f"{reverse('sign-in')}?"):
            return response
        if request.headers.get("HX-Request"):
            return HttpResponse(status=401)
        came_from = request.headers.get("Referer", "")
        if request.method == "POST" and url_has_allowed_host_and_scheme(came_from, {request.get_host()}):
            page = urlsplit(came_from)
            return redirect_to_login(f"{page.path}?{page.query}" if page.query else page.path, reverse("sign-in"))
        return response


class NoPageMiddleware:
    """Says in words that an address only takes what a page sends: Django's own 405 is blank."""

    def __init__(self, get_response: View) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not (isinstance(response, HttpResponseNotAllowed) and request.method == "GET" and not response.content):
            return response
        told = render(request, "405.html", status=response.status_code)
        told["Allow"] = response["Allow"]
        return told
