"""The published interface descriptions of Prolific's API, against which requests and responses are checked.

They lie beside the repository and never in it; without them nothing is checked.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from prolific_emulator.server import Exchange

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "prolific"

FILES = (
    "bonuses",
    "filters",
    "filtersets",
    "messages",
    "participantgroups",
    "projects",
    "studies",
    "submissions",
    "users",
    "webhooks",
    "wellknownendpoints",
    "workspaces",
)

# Schemas whose alternatives overlap, though `oneOf` allows only one: a whole number is a number too, and every detailed
# filter is a short one.
OVERLAPPING = ("RangeFilter", "FilterListResultsItems")

# Operations of theirs that other projects' clients call, though these descriptions do not have them.
UNDESCRIBED = {("POST", "/api/v1/invitations/"), ("POST", "/api/v1/studies/{}/screen-out-submissions/")}


def is_here() -> bool:
    """Whether the descriptions are beside the repository."""
    return FOLDER.is_dir()


@cache
def operations() -> dict[tuple[str, str], tuple[Any, Any]]:
    """{(method, template): (operation, document)} of all files."""
    found = {}
    for name in FILES:
        document = yaml.load((FOLDER / f"{name}.yml").read_text(), yaml.CSafeLoader)
        for title, schema in document["components"]["schemas"].items():
            if title.startswith(OVERLAPPING) and "oneOf" in schema:
                schema["anyOf"] = schema.pop("oneOf")
        for path, verbs in document["paths"].items():
            for verb, operation in verbs.items():
                found[verb.upper(), unnamed(path)] = (operation, document)
    return found


def _undescribed(exchange: Exchange) -> bool:
    return (exchange.method, unnamed(exchange.template)) in UNDESCRIBED


def unnamed(path: str) -> str:
    """The path with its parts' names left out, which differ between the files and us."""
    return "/".join("{}" if part.startswith("{") else part for part in path.split("/"))


def violations(exchange: Exchange) -> list[str]:
    """What of an exchange the description does not allow; an operation that it lacks is one."""
    found = operations().get((exchange.method, unnamed(exchange.template)))
    if found is None and (exchange.status in {404, 405} or _undescribed(exchange)):
        return []
    if found is None:
        return [f"{exchange.method} {exchange.template} is not described"]
    operation, document = found
    said = []
    described = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if described and exchange.status < 400:
        said += _errors(described, document, exchange.request, "request")
    if exchange.status >= 400:
        error = {"$ref": "#/components/schemas/ErrorDetail"}
        wrapped = {"type": "object", "required": ["error"], "properties": {"error": error}}
        return said + _errors(wrapped, document, exchange.response, "error")
    answer = operation["responses"].get(str(exchange.status))
    if answer is None:
        return [*said, f"{exchange.method} {exchange.template}: no response {exchange.status} is described"]
    if exchange.status != 204:
        said += _errors(answer["content"]["application/json"]["schema"], document, exchange.response, "response")
    return [f"{exchange.method} {exchange.template}: {text}" for text in said]


def _errors(schema: Any, document: Any, value: Any, what: str) -> list[str]:
    whole = {**schema, "components": document["components"]}
    return [f"{what} {list(error.path)}: {error.message}" for error in Draft202012Validator(whole).iter_errors(value)]
