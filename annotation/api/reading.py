"""How bodies are read: JSON objects of a decent size, and files."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any, NoReturn

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser, DataAndFiles, JSONParser, MultiPartParser

BLOCK = 1 << 20


class TooLarge(APIException):
    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE

    def __init__(self, most: int) -> None:
        super().__init__(_("The body is larger than %(limit)s.") % {"limit": filesizeformat(most)})


class ObjectParser(JSONParser):
    """An object in JSON, UTF-8, of at most 2 MB."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        text = _decoded(stream.read(_length(parser_context, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)))
        found = loaded(text)
        if not isinstance(found, dict):
            raise ParseError(_("The body must be an object in JSON: {…}."))
        return found


def loaded(text: str) -> Any:
    """The JSON value of a text, fit to be stored. Raises ParseError."""
    try:
        found = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as unfit:
        raise ParseError(_("The body is no JSON: %(why)s") % {"why": str(unfit)[:200]}) from None
    if "\\ud" in text.lower():
        _without_halves(found)
    return found


def _length(context: Any, most: int) -> int:
    """How much to read. Raises TooLarge."""
    told = str(context["request"].META.get("CONTENT_LENGTH") or 0)
    length = int(told) if told.isdigit() else 0
    if length > most:
        raise TooLarge(most)
    return length


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParseError(_("The body is not UTF-8.")) from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _without_halves(found: Any) -> None:
    """Raises ParseError for halves of surrogate pairs, which are no text and cannot be stored."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        raise ParseError(_("The body has half of a surrogate pair.")) from None


class FormParser(MultiPartParser):
    """multipart/form-data, its files up to the installation's limit."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> DataAndFiles:
        _length(parser_context, settings.UPLOAD_LIMIT)
        return super().parse(stream, media_type, parser_context)


class FileParser(BaseParser):
    """A file as the body; what else there is to say stands in the address. Stored as it comes in."""

    media_type = "application/octet-stream"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> DataAndFiles:
        left = _length(parser_context, settings.UPLOAD_LIMIT)
        file = TemporaryUploadedFile("body", self.media_type, left, None)
        parser_context["request"]._request._files = MultiValueDict({"file": [file]})  # so that it is closed in the end
        while left and (block := stream.read(min(left, BLOCK))):
            file.write(block)
            left -= len(block)
        file.size = file.tell()
        file.seek(0)
        return DataAndFiles({}, {"file": file})
