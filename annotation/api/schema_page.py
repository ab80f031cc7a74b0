"""The pages that serve the API's schema."""

from typing import Any

from drf_spectacular.renderers import OpenApiJsonRenderer2, OpenApiYamlRenderer, OpenApiYamlRenderer2
from drf_spectacular.views import SpectacularAPIView
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.settings import APISettings, api_settings


class ByQuery(DefaultContentNegotiation):
    """Negotiation by `?format=yaml` too; other views use `format` as a field."""

    settings = APISettings(api_settings.user_settings | {"URL_FORMAT_OVERRIDE": "format"})


class SchemaPage(SpectacularAPIView):
    """The schema of this API, as JSON, or as YAML on request."""

    renderer_classes = [OpenApiJsonRenderer2, OpenApiYamlRenderer2, OpenApiYamlRenderer]
    content_negotiation_class = ByQuery
    authentication_classes: list[Any] = []
