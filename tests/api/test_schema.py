"""The description of the API: complete, without a warning, as it is kept in docs/, and named in docs/api.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from annotation.api.examples import EXAMPLES
from tests.api.ground import is_problem

ROOT = Path(__file__).resolve().parents[2]
METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("schema") / "api-schema.yaml"
    call_command("spectacular", file=str(file), validate=True, fail_on_warn=True)
    return file.read_text()


def operations(schema: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(method, each) for path in schema["paths"].values() for method, each in path.items() if method in METHODS]


def test_the_kept_schema_is_that_of_the_code(written: str) -> None:
    assert (ROOT / "docs/api-schema.yaml").read_text() == written, "run `make schema`"


def test_every_operation_says_what_it_does_and_what_may_come_of_it(written: str) -> None:
    found = operations(yaml.safe_load(written))
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


def test_every_body_in_json_has_an_example_that_fits(written: str) -> None:
    whole = yaml.safe_load(written)
    shown = set()
    for _method, each in operations(whole):
        told = each.get("requestBody", {}).get("content", {}).get("application/json")
        if told is None:
            continue
        shown.add(each["operationId"])
        schema = told["schema"] | {"components": whole["components"]}
        flaws = [flaw.message for flaw in jsonschema.Draft202012Validator(schema).iter_errors(told.get("example"))]
        assert not flaws, (each["operationId"], flaws)
    assert shown == set(EXAMPLES)


def test_every_operation_is_named_in_the_guide(written: str) -> None:
    text = (ROOT / "docs/api.md").read_text()
    table = set(re.findall(r"`([a-zA-Z]+)`", text[text.index("## Operations") :]))
    assert table == {each["operationId"] for _method, each in operations(yaml.safe_load(written))}


def test_it_is_served_as_json_and_as_yaml_to_anybody() -> None:
    served = Client().get("/api/v1/schema/")
    assert served["Content-Type"] == "application/json"
    told = json.loads(served.content)
    assert told["openapi"].startswith("3.")
    for asked in ({"data": {"format": "yaml"}}, {"headers": {"Accept": "application/yaml"}}):
        assert yaml.safe_load(Client().get("/api/v1/schema/", **asked).content) == told
    is_problem(Client().get("/api/v1/schema/", headers={"Accept": "text/html"}), 406)
    is_problem(Client().post("/api/v1/schema/"), 405)
