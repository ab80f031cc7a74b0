"""Content negotiation: JSON, except for files."""

from __future__ import annotations

from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request


class AnyType(BaseContentNegotiation):
    """Negotiation for files: any Accept header is fine, since the URL determines the type. Problems are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return next((parser for parser in parsers if request.content_type.startswith(parser.media_type)), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type
