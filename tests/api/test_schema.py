"""The description of the API: complete, without a warning, keeping what the released one says, and in docs/api.md."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from annotation.api.field_descriptions import DESCRIPTIONS
from tests.api.ground import is_problem
from tests.api.schema_differences import differences
from tests.security.routes import patterns
from tests.sharing import shared

ROOT = Path(__file__).resolve().parents[2]
CHANGES = ROOT / "tests/api/schema_changes.txt"
METHODS = {"get", "post", "put", "patch", "delete"}
read = partial(yaml.load, Loader=yaml.CSafeLoader)  # a tenth of the time of yaml.safe_load


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    def write(folder: Path) -> None:
        call_command("spectacular", file=str(folder / "api-schema.yaml"), validate=True, fail_on_warn=True)

    return (shared(tmp_path_factory, "schema", write) / "api-schema.yaml").read_text()


def operations(schema: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(method, each) for path in schema["paths"].values() for method, each in path.items() if method in METHODS]


def moved() -> dict[str, str]:
    """{old path: the path now} of addresses that were renamed."""
    pages = [page for page in patterns() if hasattr(page.callback, "alias_of")]
    return {template(str(page.pattern)): template(page.callback.alias_of) for page in pages}


def template(route: str) -> str:
    return "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route)


def test_what_the_released_schema_promises_holds_but_for_changes_that_are_listed(written: str) -> None:
    released = read((ROOT / "docs/api-schema.yaml").read_text())
    found = list(differences(released, read(written), moved()))
    lines = [line for line in CHANGES.read_text().splitlines() if line and not line.startswith("#")]
    listed = {change.strip(): reason.strip() for change, _equals, reason in (line.rpartition(" = ") for line in lines)}
    assert all(listed.values()), "each change has its reason"
    broken = [line for line in found if not any(fnmatchcase(line, _escaped(change)) for change in listed)]
    assert not broken, "what callers rely on changed; keep it, or list it in schema_changes.txt:\n" + "\n".join(broken)
    stale = [change for change in listed if not any(fnmatchcase(line, _escaped(change)) for line in found)]
    assert not stale, f"listed, but there is no such change: {stale}"


def _escaped(change: str) -> str:
    return change.replace("[", "[[]")


def test_every_operation_says_what_it_does_and_what_may_come_of_it(written: str) -> None:
    found = operations(read(written))
    ids = [each["operationId"] for _method, each in found]
    assert len(set(ids)) == len(ids)
    for method, each in found:
        name = each["operationId"]
        assert re.fullmatch(r"[a-z]+([A-Z][a-z]*)*", name), name
        assert all((each["summary"], each["tags"])), name
        assert {"401", "403", "404", "422", "429"} <= set(each["responses"]), name
        assert any(code.startswith("2") for code in each["responses"]), name
        keyed = "Idempotency-Key" in {parameter["name"] for parameter in each.get("parameters", ())}
        assert keyed == (method != "get"), name


def test_every_field_and_parameter_says_what_it_is_and_no_text_is_for_none(written: str) -> None:
    whole = read(written)
    parts = [(each["operationId"], part) for _method, each in operations(whole) for part in each.get("parameters", ())]
    shown = {f"{name} {part['name']}": part.get("description", "") for name, part in parts}
    for name, component in whole["components"]["schemas"].items():
        fields = component.get("properties", {})
        shown |= {f"{name} {field}": shape.get("description", "") for field, shape in fields.items()}
    missing = [name for name, text in shown.items() if not text]
    assert not missing, f"give them a help_text, or a text in annotation/api/field_descriptions.py: {missing}"
    texts = {text.partition("\n\n")[0] for text in shown.values()}  # after it come the values of an enumeration
    assert not {name for name, text in DESCRIPTIONS.items() if text not in texts}


def test_every_body_in_json_has_an_example_that_fits(written: str) -> None:
    whole = read(written)
    for _method, each in operations(whole):
        result = each.get("requestBody", {}).get("content", {}).get("application/json")
        if result is None:
            continue
        schema = result["schema"] | {"components": whole["components"]}
        flaws = [flaw.message for flaw in jsonschema.Draft202012Validator(schema).iter_errors(result.get("example"))]
        assert not flaws, (each["operationId"], flaws)


def test_every_operation_is_named_in_the_instructions(written: str) -> None:
    text = (ROOT / "docs/api.md").read_text()
    table = set(re.findall(r"`([a-zA-Z]+)`", text[text.index("## Operations") :]))
    assert table == {each["operationId"] for _method, each in operations(read(written))}


def test_it_is_served_as_json_and_as_yaml_to_anybody(db: None, written: str, settings: Any, tmp_path: Path) -> None:
    settings.API_SCHEMA = tmp_path / "api-schema.yaml"
    settings.API_SCHEMA.write_text(written)
    settings.API_SCHEMA.with_suffix(".json").write_text(json.dumps(read(written)))
    served = Client().get("/api/v1/schema/")
    assert served["Content-Type"] == "application/json"
    result = json.loads(served.content)
    assert result["openapi"].startswith("3.")
    for asked in ({"data": {"format": "yaml"}}, {"headers": {"Accept": "application/yaml"}}):
        assert read(Client().get("/api/v1/schema/", **asked).content) == result
    is_problem(Client().get("/api/v1/schema/", headers={"Accept": "text/html"}), 406)
    is_problem(Client().post("/api/v1/schema/"), 405)


def test_where_it_was_not_built_the_released_one_is_served(db: None, settings: Any, tmp_path: Path) -> None:
    settings.API_SCHEMA = tmp_path / "api-schema.yaml"
    served = Client().get("/api/v1/schema/")
    assert served["Content-Type"] == "application/yaml"
    assert served.content == (ROOT / "docs/api-schema.yaml").read_bytes()


def test_what_callers_would_miss_is_told_and_what_is_new_is_not() -> None:
    def schema(body: Any, answer: Any, **more: Any) -> Any:
        request = {"required": True, "content": {"application/json": {"schema": body}}}
        result = {"200": {"content": {"application/json": {"schema": answer}}}}
        operation = {"operationId": "launchBatch", "requestBody": request, "responses": result} | more
        return {
            "paths": {"/batches/": {"post": operation}},
            "components": {"Kind": {"type": "string", "enum": ["a", "b"]}},
        }

    kind = {"$ref": "#/components/Kind", "description": "A kind."}
    fields = {"name": {"type": "string", "maxLength": 100}, "kind": kind}
    old = schema({"properties": fields}, {"properties": fields, "required": ["name"]})
    grown = schema(
        {"properties": fields | {"note": {"type": "string"}}},
        {"properties": fields | {"size": {"type": "integer"}}, "required": ["name", "size"]},
        parameters=[{"in": "query", "name": "q", "schema": {}}],
    )
    assert not list(differences(old, grown, {}))
    less = schema(
        {"properties": {"name": {"type": "string", "maxLength": 50}, "kind": {"enum": ["a"]}}, "required": ["kind"]},
        {"properties": {"kind": {"type": "integer"}}},
    )
    assert list(differences(old, less, {})) == [
        "launchBatch request.name: maxLength was 100 and is 50",
        "launchBatch request.kind: no longer has b",
        "launchBatch request.kind: is required now",
        "launchBatch response 200.name: is gone",
        "launchBatch response 200.kind: no longer has a, b",
        "launchBatch response 200.kind: type was string and is integer",
    ]
    assert list(differences(old, {"paths": {}}, {})) == ["launchBatch: POST /batches/ is gone"]
    moved_away = {"paths": {"/runs/": old["paths"]["/batches/"]}, "components": old["components"]}
    assert not list(differences(old, moved_away, {"/batches/": "/runs/"}))
