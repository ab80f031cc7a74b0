"""The outermost middleware: every request gets an id, is timed, counted, and told to the log by its route's name."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from annotation import meters
from annotation.flow import tracing
from annotation.logs import UNRESOLVED, known_as, route_of

log = logging.getLogger("hopscribe.request")
HEADER = "X-Request-ID"
SILENT = frozenset({"static", "healthz", "readyz", "metrics"})  # asked for all day; counted, not told


class ObservingMiddleware:
    """Stands before everything else, so that refused and broken requests are seen too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = tracing.request_id(request.headers.get(HEADER, ""))
        token, began = tracing.current.set(name), time.perf_counter()
        try:
            response = self.get_response(request)
            _tell(request, response, time.perf_counter() - began)
        finally:
            tracing.current.reset(token)
        response[HEADER] = name
        return response


def _tell(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    route = route_of(request)
    if route == UNRESOLVED and request.path_info.startswith(settings.STATIC_URL):
        route = "static"
    meters.count(route, method=request.method or "", status=response.status_code, seconds=seconds)
    if route in SILENT or not log.isEnabledFor(logging.INFO):
        return
    user = getattr(request, "_cached_user", None)  # as far as the request looked: nothing is asked for the log alone
    extra = {"route": route, "method": request.method, "status": response.status_code, "ms": round(seconds * 1000, 1)}
    if user is not None and user.pk:
        extra["user"] = known_as(user.pk)
    log.info("request", extra=extra)
