"""How the API describes itself (OpenAPI): what every operation says without being asked."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import SAFE_METHODS

from annotation.api.lists import Wish
from annotation.api.problems import ANY, CONTENT_TYPE, PROBLEMS, ProblemSerializer, Told
from annotation.api.writing import HEADER

# What the parts of an address mean, for whoever reads the schema.
PARTS = {
    "slug": "the project's short name",
    "name": "the dataset's name",
    "batch": "the batch's name",
    "position": "the item's place in its dataset, from 0",
    "format": "a file format",
    "public_id": "its id",
    "pk": "its number",
    "document": "provenance, datasheet or card",
}
SLUG = r"^[-a-zA-Z0-9_]+$"
IN_PROJECT = "projects/{slug}/"
VERBS = {"PUT": "replace", "PATCH": "change", "DELETE": "remove"}


class Described(AutoSchema):
    """Names operations as clients call them, tells their problems, and gives writes their key."""

    def get_operation_id(self) -> str:
        return operation_id(self.method, self._below(), many=self._is_list_view(), lone=not hasattr(self.view, "get"))

    def get_summary(self) -> str:
        """The first paragraph of the method's docstring, or of the view's."""
        return " ".join(self._told().partition("\n\n")[0].split()).removesuffix(".")

    def get_description(self) -> str:
        """What the docstring says besides."""
        return self._told().partition("\n\n")[2].strip()

    def _told(self) -> str:
        own = getattr(self.view, self.method.lower()).__doc__ or type(self.view).__doc__ or ""
        return re.sub(r"\n[ \t]+", "\n", own.strip())

    def get_tags(self) -> list[str]:
        parts = [part for part in self._below().split("/") if part and not part.startswith("{")]
        return [parts[0]] if parts else ["projects"]

    def _below(self) -> str:
        """The address from the project on: `batches/{batch}/hits/`."""
        path: str = self.path.removeprefix("/api/v1/")
        return path.removeprefix(IN_PROJECT) if path != IN_PROJECT else path

    def _resolve_path_parameters(self, variables: list[str]) -> list[Any]:
        return [_part(self.path_regex, name) for name in variables]

    def get_override_parameters(self) -> list[Any]:
        if self.method in SAFE_METHODS:
            return []
        told = "Any text of your own; the same request under the same key is carried out once (for a day)."
        shape = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"}
        return [OpenApiParameter(HEADER, shape, OpenApiParameter.HEADER, description=told)]

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        self.resolve_serializer(ProblemSerializer, "response")
        for code, known in PROBLEMS.items():
            if self._may_answer(known):
                bodies.setdefault(str(code.value), {"$ref": f"#/components/responses/{known.name}"})
        return dict(sorted(bodies.items()))

    def _may_answer(self, known: Told) -> bool:
        return known.when == ANY or (self.method not in SAFE_METHODS)

    def _map_serializer(self, serializer: Any, direction: Any, bypass_extensions: bool = False) -> Any:
        """A body that refuses what it does not know says so."""
        schema = super()._map_serializer(serializer, direction, bypass_extensions)
        strict = isinstance(serializer, Wish) and direction == "request"
        return schema | {"additionalProperties": False} if strict else schema


def operation_id(method: str, below: str, *, many: bool, lone: bool) -> str:
    """`listDatasets`, `getDatasetItem`, `createBatch`, `launchBatch`; `lone`: at this address one can only POST."""
    parts = [part for part in below.split("/") if part]
    named = [part for part in parts if not part.startswith("{")]
    if method == "POST" and lone and len(named) > 1 and not parts[-1].startswith("{"):
        return _joined(named[-1], *(_one(part) for part in named[:-1]))
    *outer, last = named or ["projects"]
    things = [_one(part) for part in outer]
    if method == "GET" and (many or parts[-1] != last):
        return _joined("list" if many else "get", *things, last if many else _one(last))
    verb = "get" if method == "GET" else "create" if method == "POST" else VERBS[method]
    return _joined(verb, *things, last if method == "GET" else _one(last))


def _one(words: str) -> str:
    """The singular of a noun that ends as ours do."""
    for many, one in (("ies", "y"), ("ches", "ch"), ("s", "")):
        if words.endswith(many) and not words.endswith("ss"):
            return words.removesuffix(many) + one
    return words


def _joined(first: str, *others: str) -> str:
    words = "-".join((first, *others)).split("-")
    return words[0] + "".join(word.capitalize() for word in words[1:])


def _part(regex: str, name: str) -> dict[str, Any]:
    kind = re.search(rf"<(\w+):{name}>", regex)
    shape: dict[str, Any] = {"type": "string"}
    if kind and kind[1] == "int":
        shape = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
    elif kind and kind[1] == "slug":
        shape = {"type": "string", "pattern": SLUG}
    told = {"description": PARTS[name]} if name in PARTS else {}
    return {"in": "path", "name": name, "schema": shape, "required": True, **told}


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A hook: the problems that operations refer to, each once, with an example."""
    shared = {}
    for code, known in PROBLEMS.items():
        example = {"type": "about:blank", "title": code.phrase, "status": code.value, "detail": known.detail}
        content = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example | known.members}
        shared[known.name] = {"description": known.means, "content": {CONTENT_TYPE: content}}
        if code in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
            told = {"description": "seconds to wait", "schema": {"type": "integer"}}
            shared[known.name]["headers"] = {"Retry-After": told}
    result.setdefault("components", {})["responses"] = shared
    return result
