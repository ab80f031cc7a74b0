"""Writes with an Idempotency-Key, each carried out once."""

import hashlib
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.flow.projects.idempotency import Answer, once
from annotation.models.fields import to_text

HEADER = "Idempotency-Key"
REPEATED = "Idempotent-Replayed"
FIT = re.compile(r"[!-~]{1,255}")


def once_under_its_key(request: Any, do: Callable[[], Response]) -> Response:
    """Carry out a write once per Idempotency-Key, and repeat its response for a day; without a key just carry it out.

    The key is locked in the transaction of the write, so `do` must call no other server; long work belongs in a job.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return do()
    if not FIT.fullmatch(key):
        raise ValidationError({HEADER: ["Give 1 to 255 characters of ASCII, without spaces."]})

    def act() -> Answer:
        response = do()
        return Answer(response.status_code, response.data or {}, response.get("Location", ""))

    outcome = once(request.user, key, _digest(request), act)
    headers = {"Location": outcome.location} if outcome.location else {}
    content = None if outcome.status == HTTPStatus.NO_CONTENT else outcome.content
    return Response(content, status=outcome.status, headers=headers | ({REPEATED: "true"} if outcome.repeated else {}))


def _digest(request: Request) -> str:
    """SHA-256 of method, path and body, with a file by its own digest."""
    content = {name: _comparable(value) for name, value in _items(request.data)}
    whole = to_text([request.method, request.get_full_path(), content])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _items(content: Any) -> list[tuple[str, Any]]:
    if hasattr(content, "lists"):  # a form: each name has a list of values
        return sorted(content.lists())
    return sorted(content.items()) if isinstance(content, dict) else [("", content)]


def _comparable(value: Any) -> Any:
    if isinstance(value, list):
        return [_comparable(one) for one in value]
    if isinstance(value, UploadedFile):
        summed = hashlib.sha256()
        for chunk in value.chunks():
            summed.update(chunk)
        value.seek(0)
        return {"file": value.name, "sha256": summed.hexdigest()}
    return value
