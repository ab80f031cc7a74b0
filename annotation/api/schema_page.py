"""The API's OpenAPI schema as a page, from the files that `make schema` writes and the wheel brings."""

from pathlib import Path
from typing import Any

from django.conf import settings
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import APISettings, api_settings
from rest_framework.views import APIView


class ByQuery(DefaultContentNegotiation):
    """Negotiation by `?format=yaml` too; other views use `format` as a field."""

    # api_settings is one, which the stubs describe by its names
    settings = APISettings({**api_settings.user_settings, "URL_FORMAT_OVERRIDE": "format"})  # type: ignore[assignment, arg-type]  # as above


class AsJson(JSONRenderer):
    """The file as it is; problems as JSON."""

    def render(self, data: Any, *context: Any) -> bytes:
        is_file = isinstance(data, Path)
        return data.with_suffix(f".{self.format}").read_bytes() if is_file else super().render(data, *context)


class AsYaml(AsJson):
    media_type, format = "application/yaml", "yaml"


class AsOpenApi(AsYaml):
    media_type = "application/vnd.oai.openapi"


class SchemaPage(APIView):
    """The schema of this API, as JSON, or as YAML on request.

    A checkout where `make schema` never ran has only the released one, as YAML.
    """

    content_negotiation_class = ByQuery
    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]
    schema = None

    def get_renderers(self) -> list[BaseRenderer]:
        kinds = [AsJson, AsYaml, AsOpenApi] if settings.API_SCHEMA.exists() else [AsYaml, AsOpenApi]
        return [kind() for kind in kinds]

    def get(self, request: Request) -> Response:
        released = settings.ROOT / "docs" / "api-schema.yaml"
        return Response(settings.API_SCHEMA if settings.API_SCHEMA.exists() else released)
