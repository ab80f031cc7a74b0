"""The API's OpenAPI schema: rules that all operations share. Loaded by `make schema` only, with drf-spectacular."""

import re
from collections.abc import Collection
from http import HTTPStatus
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import SAFE_METHODS

from annotation.api.authentication import BearerAuthentication
from annotation.api.field_descriptions import DESCRIPTIONS
from annotation.api.idempotency import HEADER
from annotation.api.operations import description_of, operation_id, summary_of
from annotation.api.problems import ANY, CONTENT_TYPE, PROBLEMS, ProblemSerializer
from annotation.api.serializers import Input

SLUG = r"^[-a-zA-Z0-9_]+$"
KEY = OpenApiParameter(
    HEADER,
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    OpenApiParameter.HEADER,
    description="Any text of your own; the same request under the same key is carried out once (for a day).",
)


class BearerScheme(OpenApiAuthenticationExtension):
    """The description of BearerAuthentication in the schema."""

    target_class = BearerAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "`manage.py create_api_token EMAIL` makes one."}


class OperationSchema(AutoSchema):
    """Schema of a ViewSet's method, from its `@operation`.

    Each operation has its problems, and each that writes the header of its key.
    """

    view: Any  # a ResourceViewSet

    @property
    def _operation(self) -> Any:
        return self.view.operation

    def get_operation_id(self) -> str:
        return operation_id(type(self.view), self.view.action, detail=self.view.detail)

    def get_summary(self) -> str:
        return summary_of(type(self.view), self.view.action)

    def get_description(self) -> str:  # type: ignore[override]  # as in AutoSchema
        return description_of(type(self.view), self.view.action)

    def get_tags(self) -> list[str]:
        """The first part of the path below the project."""
        below = self.path.removeprefix("/api/v1/").removeprefix("projects/{slug}/")
        return [below.split("/")[0] or "projects"]

    def get_request_serializer(self) -> Any:
        return self._operation.takes

    def get_response_serializers(self) -> Any:
        if self._operation.files:
            return {(200, media): shape for media, shape in self._operation.files.items()}
        if self._operation.status == 204:
            return {204: None}
        kind = self.view.get_serializer_class()
        return {self._operation.status: kind(many=True) if self._operation.many else kind}

    def get_serializer_name(self, serializer: Any, direction: Any) -> str:
        """`BlockInput` is the component `BlockRequest`."""
        name: str = super().get_serializer_name(serializer, direction)
        return name.removesuffix("Input")

    def get_override_parameters(self) -> list[Any]:
        query = [*self._operation.parameters, *([self._operation.query] if self._operation.query else [])]
        return query if self.method in SAFE_METHODS else [*query, KEY]

    def _get_paginator(self) -> Any:
        return self._operation.pages() if self._operation.pages else super()._get_paginator()

    def _resolve_path_parameters(self, variables: list[str]) -> list[Any]:
        return [_part(self.path_regex, name, self._operation.choices.get(name, ())) for name in variables]

    def _get_request_body(self, direction: Any = "request") -> Any:
        body, takes = super()._get_request_body(direction), self._operation.takes
        kind = takes.get("application/json") if isinstance(takes, dict) else takes
        if body and (example := getattr(kind, "EXAMPLE", None)) is not None:
            body["content"]["application/json"]["example"] = example
        return body

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        self.resolve_serializer(ProblemSerializer, "response")
        for code, known in PROBLEMS.items():
            if known.when == ANY or self.method not in SAFE_METHODS:
                bodies.setdefault(str(code.value), {"$ref": f"#/components/responses/{known.name}"})
        return dict(sorted(bodies.items()))

    def _map_serializer(self, serializer: Any, direction: Any, bypass_extensions: bool = False) -> Any:
        """A schema of a request body that forbids unknown fields."""
        schema = super()._map_serializer(serializer, direction, bypass_extensions)
        strict = isinstance(serializer, Input) and direction == "request"
        return schema | {"additionalProperties": False} if strict else schema


def _part(regex: str, name: str, choices: Collection[str]) -> dict[str, Any]:
    kind = re.search(rf"<(\w+):{name}>", regex)
    shape: dict[str, Any] = {"type": "string"}
    if choices:
        shape["enum"] = sorted(choices)
    elif kind and kind[1] == "int":
        shape = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
    elif kind and kind[1] == "slug":
        shape["pattern"] = SLUG
    return {"in": "path", "name": name, "schema": shape, "required": True}


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A postprocessing hook: the problems that operations refer to, each once, with an example."""
    shared = {}
    for code, known in PROBLEMS.items():
        example = {"type": "about:blank", "title": code.phrase, "status": code.value, "detail": known.detail}
        content = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example | known.members}
        shared[known.name] = {"description": known.means, "content": {CONTENT_TYPE: content}}
        if code in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
            header = {"description": "seconds to wait", "schema": {"type": "integer"}}
            shared[known.name]["headers"] = {"Retry-After": header}
    result.setdefault("components", {})["responses"] = shared
    return result


def with_descriptions(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A postprocessing hook: the text of each field and parameter that has none of its own."""
    for name, component in result["components"]["schemas"].items():
        noun = name.removeprefix("Patched").removesuffix("Request")
        for field, shape in component.get("properties", {}).items():
            text = DESCRIPTIONS.get(f"{noun}.{field}") or DESCRIPTIONS.get(f"{noun.removeprefix('One')}.{field}")
            component["properties"][field] = _described(shape, text or DESCRIPTIONS.get(field))
    for methods in result["paths"].values():
        for operation in methods.values():
            parameters = operation.get("parameters", ())
            operation["parameters"] = [_described(each, DESCRIPTIONS.get(each["name"])) for each in parameters]
    return result


def _described(shape: dict[str, Any], text: str | None) -> dict[str, Any]:
    if "$ref" in shape:  # nothing may stand beside a reference
        shape = {"allOf": [shape]}
    return {"description": text} | shape if text else shape
