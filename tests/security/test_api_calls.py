"""The API called as its schema allows, and otherwise: no call breaks it, and its answers are what the schema says."""

from __future__ import annotations

import re
from typing import Any

import pytest
import schemathesis
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import CheckFunction, not_a_server_error
from schemathesis.specs.openapi import checks as kinds

from annotation.flow.projects import api_tokens
from annotation.wsgi import application
from tests.security.api_routes import parameters, routes, thing
from tests.security.world import World

CHECKS: list[CheckFunction] = [
    not_a_server_error,
    kinds.status_code_conformance,
    kinds.content_type_conformance,
    kinds.response_headers_conformance,
    kinds.response_schema_conformance,
    kinds.negative_data_rejection,
]
CALLS = 60  # of each kind, for each operation
PARTS = 8  # so that several processes share the operations


@pytest.fixture
def calls(world: World, settings: Any) -> Any:
    """(the schema's operation, the call of it that carries the owner's token and changes nothing) for each."""
    settings.API_RATE = "1000000/min"
    schema = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))
    schema.app = application
    _token, text = api_tokens.make(world.users["alice"])
    headers = {"Authorization": f"Bearer {text}", "Accept-Encoding": "identity"}
    known = {_template(entry): name for name, entry in routes().items()}

    def of(operation: Any) -> tuple[Any, dict[str, Any]]:
        name = known[operation.path]
        return operation, {part: thing(name, part, world.wells) for part in parameters(name)}

    return [of(result.ok()) for result in schema.get_all_operations()], headers


def _template(entry: Any) -> str:
    return "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", str(entry.pattern))


def problems(operation: Any, things: dict[str, Any], headers: dict[str, str]) -> list[str]:
    """What the checks find, with the calls that brought it about."""
    found = []
    for mode in GenerationMode:
        strategy = operation.as_strategy(generation_mode=mode, path_parameters=things)

        @settings(
            max_examples=CALLS,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=strategy)
        def call(case: Any) -> None:
            with transaction.atomic():
                response = case.call(base_url="http://testserver", headers=headers)
                transaction.set_rollback(True)
            case.validate_response(response, checks=CHECKS, headers=headers)

        try:
            call()
        except BaseExceptionGroup as failure:
            found.append(f"{operation.label} ({mode.value}): {failure}")
    return found


@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # its client closes no response
def test_calls_as_the_schema_has_them_and_otherwise(calls: Any, part: int) -> None:
    operations, headers = calls
    assert len(operations) > 30
    found = [flaw for operation, things in operations[part::PARTS] for flaw in problems(operation, things, headers)]
    assert not found, "\n\n".join(found)
