"""Parsers of request bodies: JSON objects up to 2 MB, forms and files."""

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
        super().__init__(_("The request body is larger than %(limit)s.") % {"limit": filesizeformat(most)})


class ObjectParser(JSONParser):
    """A parser of JSON objects in UTF-8, up to 2 MB."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        text = _decoded(stream.read(_length(parser_context, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)))
        found = loaded(text)
        if not isinstance(found, dict):
            raise ParseError(_("The request body must be a JSON object: {…}."))
        return found


def loaded(text: str) -> Any:
    """Parse JSON that can be stored. Raises ParseError."""
    try:
        found = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as invalid:
        raise ParseError(_("The request body is not valid JSON: %(why)s") % {"why": str(invalid)[:200]}) from None
    if "\\ud" in text.lower():
        _without_halves(found)
    return found


def _length(context: Any, most: int) -> int:
    """The number of bytes to read. Raises TooLarge."""
    header = str(context["request"].META.get("CONTENT_LENGTH") or 0)
    length = int(header) if header.isdigit() else 0
    if length > most:
        raise TooLarge(most)
    return length


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParseError(_("The request body is not valid UTF-8.")) from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _without_halves(parsed: Any) -> None:
    """Raise ParseError for unpaired surrogates, which cannot be encoded as UTF-8 and stored."""
    try:
        json.dumps(parsed, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        raise ParseError(_("The request body contains half of a surrogate pair.")) from None


class FormParser(MultiPartParser):
    """A parser of multipart/form-data, with files up to the installation's limit."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> DataAndFiles:
        _length(parser_context, settings.UPLOAD_LIMIT)
        return super().parse(stream, media_type, parser_context)


class FileParser(BaseParser):
    """A parser of a file as the body; other fields are in the query. The file is stored as it arrives."""

    media_type = "application/octet-stream"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> DataAndFiles:
        left = _length(parser_context, settings.UPLOAD_LIMIT)
        file = TemporaryUploadedFile("body", self.media_type, left, None)
        parser_context["request"]._request._files = MultiValueDict({"file": [file]})  # Django closes it later
        while left and (block := stream.read(min(left, BLOCK))):
            file.write(block)
            left -= len(block)
        file.size = file.tell()
        file.seek(0)
        return DataAndFiles({}, {"file": file})
