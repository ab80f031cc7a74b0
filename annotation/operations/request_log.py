"""The outermost middleware: gives each request an id, and times, counts and logs it by its route's name."""

import logging
import time
from typing import cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin

from annotation.flow.projects import request_context
from annotation.operations import prometheus
from annotation.operations.logs import UNRESOLVED, pseudonym_of, route_of

log = logging.getLogger("hopscribe.request")
HEADER = "X-Request-ID"
SILENT = frozenset({"static", "healthz", "readyz", "metrics"})  # asked for all day; counted, not told


class RequestLogMiddleware(MiddlewareMixin):
    """Must be the first middleware, so that refused and failed requests are logged too."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = request_context.request_id(request.headers.get(HEADER, ""))
        token, began = request_context.current.set(name), time.perf_counter()
        try:
            response = cast(HttpResponse, self.get_response(request))
            _log_request(request, response, time.perf_counter() - began)
        finally:
            request_context.current.reset(token)
        response[HEADER] = name
        return response


def _log_request(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    route = route_of(request)
    if route == UNRESOLVED and request.path_info.startswith(settings.STATIC_URL):
        route = "static"
    prometheus.count(route, method=request.method or "", status=response.status_code, seconds=seconds)
    if route in SILENT or not log.isEnabledFor(logging.INFO):
        return
    user = getattr(request, "_cached_user", None)  # as far as the request looked: nothing is asked for the log alone
    extra = {"route": route, "method": request.method, "status": response.status_code, "ms": round(seconds * 1000, 1)}
    if user is not None and user.pk:
        extra["user"] = pseudonym_of(user.pk)
    log.info("request", extra=extra)
