"""What every request passes through: the viewer's time zone, who acts, a calm answer while the database is away."""

import zoneinfo
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from annotation.flow import recording
from annotation.flow.refusal import AWAY
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
        return pause(request) if isinstance(error, AWAY) else None
