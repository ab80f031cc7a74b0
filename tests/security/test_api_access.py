"""Every route of the API × everybody × every method: nobody gets further than role, token and project let them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from annotation.flow.projects import api_tokens
from annotation.models import Member, Project
from tests.long_forms import first
from tests.security.api_routes import (
    OPEN,
    OWN,
    READING,
    WRITING,
    address,
    crossed,
    may,
    method_of,
    methods,
    of_projects,
    parameters,
    routes,
    thing,
    view_of,
)
from tests.security.checksum import changed, checksums
from tests.security.test_access import TOLD, ask, client_of
from tests.security.world import World

# All that the API can tell apart; an owner, a reader and a stranger in every run.
ROLES = [
    "alice",
    "rita",
    "dave",
    *(pytest.param(role, marks=pytest.mark.soak) for role in ("anonymous", "frank", "bob", "quinn")),
]
OWNERS_ALONE = {("api-comment", "delete")}  # rows of the world that the owner wrote
DONE = {200, 201, 202, 204, 409, 413, 415, 422}  # whoever may write gets this far without a body


def problem(response: Any, status: int) -> bool:
    """Whether it is that problem, told as such and as nothing else."""
    fits = response.status_code == status and response["Content-Type"] == "application/problem+json"
    return fits and json.loads(response.content)["status"] == status


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


def test_every_route_is_scoped_and_every_write_can_be_sent_again() -> None:
    from annotation.api.viewsets import ResourceViewSet

    assert len(routes()) > 15
    for name in routes():
        if name in OPEN:
            assert not methods(name, WRITING)
            continue
        assert issubclass(view_of(name), ResourceViewSet), f"{name}: use ResourceViewSet"
        assert name in OWN or parameters(name)[0] == "slug", name
        for method in methods(name, WRITING):
            assert hasattr(method_of(name, method), "operation"), f"{name}.{method}: use @operation"


def test_the_world_has_something_behind_every_address(world: World) -> None:
    missing = [f"{n}.{p}" for n in of_projects() for p in parameters(n) if thing(n, p, world.wells) is None]
    assert not missing, f"add to LIKE in tests/security/api_routes.py or to the world: {missing}"


@pytest.mark.parametrize("whole", first(1, [False, True]), ids=["", "whole"])
@pytest.mark.parametrize("role", ROLES)
def test_nobody_gets_further_than_their_role(role: str, whole: bool, world: World) -> None:
    client, deviations = client_of(world, role), []
    for turn, name in enumerate(of_projects()):
        where = address(name, world.wells)
        lacking = next(method for method in (*WRITING, *READING) if method not in methods(name, (*READING, *WRITING)))
        for method in (*methods(name, (*READING, *WRITING)), lacking, "options"):
            if not whole and not _in_every_run(turn, role, name, method):
                continue
            response = ask(client, method, where, {})
            text = "" if response.streaming else response.content.decode()
            if not _fits(response, role, name, method):
                deviations.append(f"{role} {method} {where}: {response.status_code}")
            if any(secret in text for secret in world.secrets):
                deviations.append(f"{role} {method} {where}: a secret")
    assert not deviations, "\n".join(deviations)


def _in_every_run(turn: int, role: str, name: str, method: str) -> bool:
    """All that is closed; of what is open every other route as the owner, and those between as a reader."""
    is_open = role == "alice" or (role == "rita" and may(role, name, "get" if method == "options" else method))
    return not is_open or turn % 2 == (role == "rita")


def _fits(response: Any, role: str, name: str, method: str) -> bool:
    if role == "anonymous":
        return problem(response, 401) and response["WWW-Authenticate"].startswith("Bearer")
    if role not in {"alice", "quinn", "rita"}:
        return problem(response, 404) and not TOLD.search(response.content.decode())
    if not may(role, name, "get" if method == "options" else method):
        return problem(response, 403)
    if role != "alice" and (name, method) in OWNERS_ALONE:
        return problem(response, 403)
    if method != "options" and method not in methods(name, (*READING, *WRITING)):
        return problem(response, 405)
    return response.status_code == 200 if method in (*READING, "options") else response.status_code in DONE


def test_a_member_reaches_no_foreign_thing_through_their_own_project(world: World) -> None:
    client = client_of(world, "dave")
    for name, where in crossed(world):
        for method in methods(name, (*READING, *WRITING)):
            assert problem(ask(client, method, where, {}), 404), f"{method} {where}"


def test_tokens_open_no_more_than_they_say(world: World) -> None:
    """A token that may only read writes nowhere; one of a project opens no other, though its owner may."""
    springs = Project.objects.get(slug="springs")
    Member.objects.create(project=springs, user=world.users["alice"])
    reading = bearer(api_tokens.make(world.users["alice"], scope="read")[1])
    narrow = bearer(api_tokens.make(world.users["alice"], project=springs)[1])
    before, client = checksums(), Client()
    for name in of_projects():
        for method in methods(name, WRITING):
            refused = getattr(client, method)(address(name, world.wells), headers=reading)
            assert problem(refused, 403), f"{method} {name}"
        for method in methods(name, (*READING, *WRITING)):
            assert problem(getattr(client, method)(address(name, world.wells), headers=narrow), 404), name
    assert set(changed(before)) <= {"annotation_apitoken"}  # when they were last used
    assert [row["slug"] for row in client.get("/api/v1/projects/", headers=narrow).json()["results"]] == ["springs"]
    assert {r["slug"] for r in client.get("/api/v1/projects/", headers=reading).json()["results"]} == {
        "springs", "wells"
    }  # fmt: skip


@pytest.mark.parametrize("every", first(1, [2, 1]), ids=["", "whole"])
def test_reading_changes_nothing_and_a_session_writes_only_from_our_own_pages(every: int, world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.users["alice"])
    before = checksums()
    for name in of_projects()[::every]:
        where = address(name, world.wells)
        for _reading in methods(name, READING):
            for look in (client.get, client.head):
                response = look(where)
                response.getvalue()
                assert response.status_code == 200, name
        for method in methods(name, WRITING):
            assert problem(getattr(client, method)(where), 403), f"{method} {name}"
    assert not changed(before)
