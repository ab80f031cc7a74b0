"""File downloads of pages and the API, recorded in the audit log."""

from collections.abc import Iterable
from typing import Any

from django.db import models
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse

from annotation.flow.projects import audit_log

BYTES = "application/octet-stream"
CSV = "text/csv; charset=utf-8"
Content = str | bytes | Iterable[str] | Iterable[bytes]


def download(content: Content, *, name: str, kind: str = BYTES) -> HttpResponseBase:
    """A download response, streamed unless it is one text; `name` consists of slugs."""
    made: type[Any] = HttpResponse if isinstance(content, str | bytes) else StreamingHttpResponse
    response: HttpResponseBase = made(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def logged_download(
    request: Any, of: models.Model, content: Content, *, name: str, kind: str = BYTES
) -> HttpResponseBase:
    """A download that is recorded in the audit log first; a HEAD request is not recorded."""
    if request.method == "GET":
        audit_log.record("exported", of, file=name)
    return download(content, name=name, kind=kind)
