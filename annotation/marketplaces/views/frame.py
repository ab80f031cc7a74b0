"""Decorators of pages inside a marketplace's iframe: no cookies, no session, framed by that marketplace only."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from csp.constants import NONE, SELF
from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.marketplaces.flow import arrivals
from annotation.marketplaces.models import Arrival, Connection
from annotation.models import Hit

View = Callable[..., HttpResponse]
FIELD, HEADER = "csrfmiddlewaretoken", "X-CSRFToken"  # where our forms and scripts already send a token
ASKED = (
    "HX-Request, HX-Current-URL, HX-Target, HX-Trigger, HX-Trigger-Name, HX-Prompt, HX-Boosted, "
    f"HX-History-Restore-Request, {HEADER}"
)
require_post = require_http_methods(["POST"])
# a sandboxed frame has an opaque origin, so its scripts send preflight requests
require_fetch = require_http_methods(["GET", "OPTIONS"])


def in_frame(view: View) -> View:
    """Replace the view's `public_id` by the published Hit, ignore the session, and set the frame's headers."""

    @csrf_exempt
    @never_cache
    @wraps(view)
    def framed(request: HttpRequest, public_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        _forget_visitor(request)
        hits = Hit.objects.select_related("batch__project", "publication__connection")
        hit = get_object_or_404(hits, public_id=public_id, publication__isnull=False)
        if request.method == "OPTIONS":
            response = HttpResponse(status=204)
            response["Access-Control-Allow-Headers"] = ASKED
            return _dressed(for_scripts(response), hit.publication.connection)
        return _dressed(view(request, hit, *args, **kwargs), hit.publication.connection)

    return framed


def held(view: View) -> View:
    """For actions in the frame: pass the Arrival of the token to the view; 403 without a valid one."""

    @in_frame
    @wraps(view)
    def checked(request: HttpRequest, hit: Hit, *args: Any, **kwargs: Any) -> HttpResponse:
        arrival = arrivals.holder(request.headers.get(HEADER) or request.POST.get(FIELD, ""))
        if arrival is None or arrival.assignment.hit_id != hit.pk:
            return for_scripts(render(request, "marketplaces/expired.html", {"framed": True}, status=403))
        return for_scripts(view(request, arrival, *args, **kwargs))

    return checked


def _forget_visitor(request: HttpRequest) -> None:
    """Ignore the session of whoever is signed in on this site, and leave their cookies alone."""
    request.COOKIES = {}
    request.user = AnonymousUser()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore()


def for_scripts(response: HttpResponse) -> HttpResponse:
    """Let scripts without an origin read the response. They authenticate by token, never by cookie."""
    response["Access-Control-Allow-Origin"] = "*"
    return response


def _dressed(response: HttpResponse, connection: Connection) -> HttpResponse:
    origin = arrivals.worker_origin(connection)
    policy = {"frame-ancestors": [origin or NONE], "form-action": [SELF, *([origin] if origin else [])]}
    response["Content-Security-Policy"] = build_policy(replace=policy)
    response["Referrer-Policy"] = "no-referrer"
    if origin:
        response.xframe_options_exempt = True  # type: ignore[attr-defined]
    return response


def context_of(arrival: Arrival) -> dict[str, Any]:
    """The context of the frame's templates: `framed`, and the frame's token for all forms."""
    return {"framed": True, "csrf_token": arrivals.token_for(arrival)}
