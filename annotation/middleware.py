"""Our middleware around the views: what browsers may do, who acts, compression, and answers that are not a view's."""

import secrets
import zoneinfo
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from gzip import GzipFile
from io import BytesIO
from typing import cast
from urllib.parse import urlsplit

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.messages.storage import default_storage
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware, re_accepts_gzip
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject, empty
from django.utils.http import url_has_allowed_host_and_scheme

from annotation.flow.errors import is_database_unavailable
from annotation.flow.projects import audit_log
from annotation.flow.projects.request_context import acting
from annotation.operations import sessions
from annotation.views.error_pages import pause

SHORTEST = 200  # bytes; less is not worth it


class BrowserLimitsMiddleware(MiddlewareMixin):
    """Denies pages what none of them uses, and keeps responses out of other sites' pages.

    The content security policy is made once; that of a page which states its own is made for it.

    Files may be loaded from anywhere: a sandboxed frame of ours has no origin. Pages in frames of others may be, too.
    """

    DENIED = "accelerometer", "camera", "display-capture", "geolocation", "microphone", "midi", "payment", "usb"
    PERMISSIONS = ", ".join(f"{feature}=()" for feature in DENIED)

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        super().__init__(get_response)
        self._policy, self._own_policy = build_policy(), CSPMiddleware(get_response).process_response

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if any(name.startswith("_csp_") for name in vars(response)):
            self._own_policy(request, response)
        else:
            response.headers.setdefault(HEADER, self._policy)
        is_file = request.path.startswith(settings.STATIC_URL)
        for_all = is_file or getattr(response, "xframe_options_exempt", False)
        response["Cross-Origin-Resource-Policy"] = "cross-origin" if for_all else "same-origin"
        response["Permissions-Policy"] = self.PERMISSIONS
        return response


class QuickGZipMiddleware(GZipMiddleware):
    """Compresses pages at a quick level of zlib: half of the CPU of Django's, for a twentieth more bytes."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        accepted = re_accepts_gzip.search(request.META.get("HTTP_ACCEPT_ENCODING", ""))
        is_final = "Content-Encoding" in response or "ETag" in response
        if not accepted or is_final or not isinstance(response, HttpResponse) or len(response.content) < SHORTEST:
            return super().process_response(request, response)
        patch_vary_headers(response, ("Accept-Encoding",))
        # A file name of random length, as Django's, hides how far a secret in the page compresses (BREACH).
        name = "a" * secrets.randbelow(self.max_random_bytes)
        packed = BytesIO()
        with GzipFile(name, "wb", compresslevel=4, fileobj=packed, mtime=0) as file:
            file.write(response.content)
        response.content = packed.getvalue()
        response["Content-Length"] = str(len(response.content))
        response["Content-Encoding"] = "gzip"
        return response


class PersonMiddleware(MiddlewareMixin):
    """Whose request it is: for the audit log, for times on pages, for guests, and after their session ended.

    A guest, who has no account of their own, keeps to the pages of their work; others lead to their first page, whose
    URL the session has as `guest_home`.
    """

    # names of URLs, which are open without looking at the session
    OF_GUESTS = {
        "assignment", "submit", "prefetch", "draft", "return", "skip", "take-up", "extend", "report-problem", "back",
        "live", "batch-start", "experiment-start", "batch-instructions", "practice", "practice-done", "practice-live",
        "feedback", "consent", "preferences", "set-language",
    }  # fmt: skip

    def __call__(self, request: HttpRequest) -> HttpResponse:
        to_keep = sessions.recall_user(request)
        via = audit_log.Via.API if request.path.startswith("/api/") else audit_log.Via.PAGE
        with acting(via, lambda: getattr(request, "user", None)):
            zone = request.COOKIES.get("tz")  # set by a script; UTC without it
            with timezone.override(_zone(zone)) if zone else nullcontext():
                response = cast(HttpResponse, self.get_response(request))
        if to_keep:
            sessions.keep_user(request, to_keep)
        return _signed_out(request, response) if response.status_code == 302 else response

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        name = request.resolver_match.url_name if request.resolver_match else ""
        if name in self.OF_GUESTS or not request.COOKIES.get(settings.SESSION_COOKIE_NAME):
            return None
        home = request.session.get("guest_home", "")
        return HttpResponseRedirect(home, status=303) if home and not request.path.startswith(home) else None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Turn a lost or locked database into 503 with Retry-After, so that pages keep their content and try again."""
        return pause(request) if is_database_unavailable(error) else None


def _zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return zoneinfo.ZoneInfo("UTC")


def _signed_out(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """After a session ended, lead a form back to its page after signing in, and answer fragments with 401.

    The URL that a form is sent to is often not a page, and a sign-in page is no fragment.
    """
    if not response["Location"].startswith(f"{reverse('sign-in')}?"):
        return response
    if request.headers.get("HX-Request"):
        return HttpResponse(status=401)
    came_from = request.headers.get("Referer", "")
    if request.method == "POST" and url_has_allowed_host_and_scheme(came_from, {request.get_host()}):
        page = urlsplit(came_from)
        return redirect_to_login(f"{page.path}?{page.query}" if page.query else page.path, reverse("sign-in"))
    return response


class QuietMessageMiddleware(MessageMiddleware):
    """Django's, which does nothing for a request that neither shows nor adds a message."""

    def process_request(self, request: HttpRequest) -> None:
        request._messages = SimpleLazyObject(partial(default_storage, request))  # type: ignore[attr-defined]  # as below

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if request._messages._wrapped is empty:  # type: ignore[attr-defined]  # where Django's own keeps them
            return response
        return super().process_response(request, response)


class MethodNotAllowedMiddleware(MiddlewareMixin):
    """Explains 405 responses; Django's own are blank."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not (isinstance(response, HttpResponseNotAllowed) and request.method == "GET" and not response.content):
            return response
        page = render(request, "405.html", status=response.status_code)
        page["Allow"] = response["Allow"]
        return page
