"""Where the description of the API is served."""

from __future__ import annotations

from typing import Any

from drf_spectacular.renderers import OpenApiJsonRenderer2, OpenApiYamlRenderer, OpenApiYamlRenderer2
from drf_spectacular.views import SpectacularAPIView
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.settings import APISettings, api_settings


class ByQuery(DefaultContentNegotiation):
    """Here `?format=yaml` chooses as well as Accept does; elsewhere `format` is a word of our own."""

    settings = APISettings(api_settings.user_settings | {"URL_FORMAT_OVERRIDE": "format"})


class SchemaPage(SpectacularAPIView):
    """The description of this API: JSON, or YAML where it is asked for."""

    renderer_classes = [OpenApiJsonRenderer2, OpenApiYamlRenderer2, OpenApiYamlRenderer]
    content_negotiation_class = ByQuery
    authentication_classes: list[Any] = []
