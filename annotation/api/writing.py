"""Writes that may be sent again: the decorator that every method that writes wears."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.flow.repeating import Answer, once
from annotation.models.fields import to_text

HEADER = "Idempotency-Key"
REPEATED = "Idempotent-Replayed"
FIT = re.compile(r"[!-~]{1,255}")
Method = Callable[..., Response]


def repeatable(method: Method) -> Method:
    """With an Idempotency-Key, do it once and answer the same again for a day; without one, just do it.

    The method runs in the transaction of its key, so it must call nobody outside; long work goes into a job.
    """

    @wraps(method)
    def done(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        def do() -> Response:
            if hasattr(view, "find"):
                view.find(**kwargs)
            return method(view, request, *args, **kwargs)

        key = request.headers.get(HEADER)
        if key is None:
            return do()
        if not FIT.fullmatch(key):
            raise ValidationError({HEADER: ["Give 1 to 255 characters of ASCII, without spaces."]})

        def act() -> Answer:
            response = do()
            return Answer(response.status_code, response.data or {}, response.get("Location", ""))

        told = once(request.user, key, _digest(request), act)
        headers = {"Location": told.location} if told.location else {}
        content = None if told.status == HTTPStatus.NO_CONTENT else told.content
        return Response(content, status=told.status, headers=headers | ({REPEATED: "true"} if told.repeated else {}))

    done.repeatable = True  # type: ignore[attr-defined]
    return done


def _digest(request: Request) -> str:
    """What tells two requests apart: method, address and content, a file by its own digest."""
    content = {name: _told(value) for name, value in _items(request.data)}
    whole = to_text([request.method, request.get_full_path(), content])
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def _items(content: Any) -> list[tuple[str, Any]]:
    if hasattr(content, "lists"):  # a form: each name has a list of values
        return sorted(content.lists())
    return sorted(content.items()) if isinstance(content, dict) else [("", content)]


def _told(value: Any) -> Any:
    if isinstance(value, list):
        return [_told(one) for one in value]
    if isinstance(value, UploadedFile):
        summed = hashlib.sha256()
        for chunk in value.chunks():
            summed.update(chunk)
        value.seek(0)
        return {"file": value.name, "sha256": summed.hexdigest()}
    return value
