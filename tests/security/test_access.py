"""Every address × everybody × every method: nobody gets further than the table says."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from tests.long_forms import first
from tests.security.routes import MEMBERS, OWNERS, REQUESTER, TABLE, Row, parameters, patterns, url
from tests.security.world import PREDICTED, REPRESENTATIVES, ROLES, WORDS, World

# Carol and Erin are workers like Bob, and Frank has no part in the project, like Dave: for the soak.
EVERY_ROLE = [pytest.param(role, marks=[pytest.mark.soak] * (role in {"carol", "erin", "frank"})) for role in ROLES]
IN_TURN = {"bob": 0, "dave": 1}  # a worker and an outsider: what is closed to both is tried by one of them in every run
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
LADDER = [OWNERS, REQUESTER, MEMBERS]
TOLD = re.compile(r"Ana Brook|anary (?:consent|guide|note|report)")  # what the projects hold
PREDICTIONS = re.compile(rf"{re.escape(PREDICTED)}|canary-(?:judge|model)")  # what a model said, and that it was asked


def test_every_route_has_its_row() -> None:
    names = [entry.name for entry in patterns() if not hasattr(entry.callback, "alias_of")]
    assert None not in names, "a route without a name"
    assert sorted(names) == sorted(set(names)), "two routes of one name"
    pages = [name for name in names if not name.startswith("api-")]  # the API's: tests/security/api_routes.py
    assert sorted(pages) == sorted(TABLE), "routes and tests/security/routes.py differ"


def expected(row: Row, role: str, method: str) -> int:
    if method not in row.statuses:
        return 405
    if role in row.allowed:
        return row.own.get(role, row.statuses).get(method, row.statuses[method])
    if role in MEMBERS and row.allowed in LADDER:
        return 403
    return row.anonymous if role == "anonymous" else 404


def client_of(world: World, role: str) -> Client:
    client = Client(raise_request_exception=True)
    if role != "anonymous":
        client.force_login(world.users[role])
    return client


def text_of(response: Any) -> str:
    return "" if response.streaming else response.content.decode()


def ask(client: Client, method: str, address: str, body: dict[str, Any]) -> Any:
    """The response; whatever the request changed is undone."""
    before = dict(client.cookies)
    try:
        with transaction.atomic():
            sent = {"data": body} if method == "POST" else {}
            response = getattr(client, method.lower())(address, **sent)
            response.getvalue()
            transaction.set_rollback(True)
            return response
    finally:
        client.cookies.clear()
        client.cookies.update(before)


def in_every_run(row: Row, role: str, turn: int) -> list[str]:
    """The methods by which `make test` tries the address of that number as a role."""
    if role == "anonymous":
        return [method for method in METHODS if role not in row.allowed or method != "HEAD"]
    if role not in row.allowed:
        both = role in IN_TURN and not IN_TURN.keys() & row.allowed
        return [] if both and turn % 2 != IN_TURN[role] else ["GET", "POST"]
    if role == "alice":
        return ["POST"] if turn % 2 else []
    return ["GET", "POST"] if role in REPRESENTATIVES else []


# What is closed to somebody is tried in every run. What is open is asked as the representatives, as the owner by half
# of the POSTs (by GET in test_writes.py); as the others, by rarer methods but as a stranger, and by HEAD, in the soak.
@pytest.mark.parametrize("whole", first(1, [False, True]), ids=["", "whole"])
@pytest.mark.parametrize("role", EVERY_ROLE)
def test_nobody_gets_further_than_the_table_says(role: str, whole: bool, world: World) -> None:
    client, deviations = client_of(world, role), []
    for turn, (name, row) in enumerate(TABLE.items()):
        address = url(name, world.wells)
        for method in METHODS if whole else in_every_run(row, role, turn):
            response = ask(client, method, address, row.body)
            wanted = expected(row, role, method)
            if response.status_code != wanted:
                deviations.append(f"{method} {address}: {response.status_code} instead of {wanted}")
            if role not in row.allowed and TOLD.search(text_of(response)):
                deviations.append(f"{method} {address}: told something of the project")
            if role not in MEMBERS and PREDICTIONS.search(f"{response.headers}{text_of(response)}"):
                deviations.append(f"{method} {address}: told a model's prediction")
            if role == "anonymous" and wanted == 302 and role not in row.allowed:
                assert response.get("Location", "").startswith("/accounts/sign-in/?next=")
    assert not deviations, "\n".join(deviations)


def crossed() -> list[tuple[str, str]]:
    """Every parameter below a project's address that names one thing of it."""
    of_project = [name for name, row in TABLE.items() if row.allowed in LADDER]
    inner = [(name, p) for name in of_project for p in parameters(name) if p in {"public_id", "pk", "item", "batch"}]
    named = [(name, "name") for name in of_project if "name" in parameters(name) and f"{name}.name" not in WORDS]
    return inner + named


@pytest.mark.parametrize("every", first(1, [2, 1]), ids=["", "whole"])
def test_a_requester_reaches_no_foreign_thing_through_their_own_project(every: int, world: World) -> None:
    client = client_of(world, "dave")
    for name, parameter in crossed()[::every]:
        foreign = world.wells.get(f"{name}.{parameter}", world.wells.get(parameter))
        address = url(name, world.springs | {f"{name}.{parameter}": foreign})
        for method in TABLE[name].statuses:
            response = ask(client, method, address, TABLE[name].body)
            assert response.status_code == 404, f"{method} {address}"
            assert not TOLD.search(text_of(response))
