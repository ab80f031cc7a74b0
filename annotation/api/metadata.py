"""Responses to OPTIONS: the allowed methods only; the schema describes the rest."""

from typing import Any

from rest_framework.metadata import BaseMetadata
from rest_framework.request import Request


class AllowedMethodsMetadata(BaseMetadata):
    def determine_metadata(self, request: Request, view: Any) -> dict[str, Any]:
        return {"methods": view.allowed_methods}
