"""Files that leave, by a page or by the API: downloads under a name; the log keeps who took which."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import models
from django.http import HttpResponse, StreamingHttpResponse

from annotation.flow import recording

BYTES = "application/octet-stream"
CSV = "text/csv; charset=utf-8"


def attached(content: str | Iterable[str] | Iterable[bytes], *, name: str, kind: str = BYTES) -> Any:
    """A download, streamed unless it is one text; `name` is made of slugs."""
    made = HttpResponse if isinstance(content, str | bytes) else StreamingHttpResponse
    response = made(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def sent(
    request: Any, of: models.Model, content: str | Iterable[str] | Iterable[bytes], *, name: str, kind: str = BYTES
) -> Any:
    """A download of what belongs to a row, once the log has it; HEAD takes nothing."""
    if request.method == "GET":
        recording.record("exported", of, file=name)
    return attached(content, name=name, kind=kind)
