"""Looking changes nothing, and nothing is changed for a page of somebody else's."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from tests.long_forms import first
from tests.security.checksum import changed, checksums
from tests.security.routes import MEMBERS, OWNERS, REQUESTER, TABLE, WITHOUT_COOKIES, url, urls
from tests.security.test_access import expected
from tests.security.test_headers import is_page, kept_by_nobody, lacking
from tests.security.world import SOME_ROLES, World

WRITING = sorted(name for name, row in TABLE.items() if "POST" in row.statuses and name not in WITHOUT_COOKIES)
FORM, ACTION = re.compile(r"<form[^>]*>"), re.compile(r'action="([^"]+)"')
LINK = re.compile(r"""(?:href|src|hx-get)=["']([^"'#]+)""")
MOST_PAGES = 400


def signed_in(world: World, role: str, **how: Any) -> Client:
    client = Client(**how)
    if role != "anonymous":
        client.force_login(world.users[role])
    return client


@pytest.mark.parametrize("token", first(1, [{}, {"csrfmiddlewaretoken": "x" * 64}]), ids=["without", "forged"])
@pytest.mark.parametrize("role", SOME_ROLES)
def test_no_address_takes_a_post_without_the_sites_own_token(role: str, token: dict[str, str], world: World) -> None:
    client = signed_in(world, role, enforce_csrf_checks=True)
    before = checksums()
    for names in some_at_a_time([name for name in WRITING if role in TABLE[name].allowed]):
        for name in names:
            refused = client.post(url(name, world.wells), TABLE[name].body | token)
            assert refused.status_code == 403, name
            assert "Please send the form again" in refused.content.decode()
        assert not changed(before), names


def test_a_token_does_not_help_a_foreign_origin(world: World) -> None:
    client = signed_in(world, "bob", enforce_csrf_checks=True)
    client.get("/work/")
    token = client.cookies["csrftoken"].value
    address = url("return", world.wells)
    for foreign in ("https://evil.example", "null", "http://testserver.evil.example"):
        refused = client.post(address, {"csrfmiddlewaretoken": token}, headers={"Origin": foreign})
        assert refused.status_code == 403
    own = client.post(address, {"csrfmiddlewaretoken": token}, headers={"Origin": "http://testserver"})
    assert own.status_code == 303


@pytest.mark.parametrize("method", first(1, ["get", "head"]))
@pytest.mark.parametrize("role", SOME_ROLES)
def test_looking_at_every_address_changes_nothing_and_every_answer_has_its_headers(
    role: str, method: str, world: World
) -> None:
    client, addresses = signed_in(world, role), urls(world)
    before = checksums()
    for names in some_at_a_time([*addresses]):
        for name in names:
            response = getattr(client, method)(addresses[name])
            response.getvalue()
            assert response.status_code == expected(TABLE[name], role, method.upper()), name
            assert name == "sign-out" or not lacking(name, response), name
            assert role == "anonymous" or not is_page(name, role) or kept_by_nobody(response), name
        assert not changed(before), names


def some_at_a_time(names: list[str]) -> list[list[str]]:
    """In portions, since to look at the whole database takes as long as a page."""
    return [names[k : k + 40] for k in range(0, len(names), 40)]


@pytest.mark.parametrize("alike", [pytest.param(1, id=""), pytest.param(MOST_PAGES, marks=pytest.mark.soak)])
@pytest.mark.parametrize("role", first(2, ["bob", "alice", "rita"]))
def test_following_every_link_finds_a_page_and_changes_nothing(role: str, alike: int, world: World) -> None:
    """As often as `alike` where addresses differ only in which thing they name and in what is asked about it."""
    client = signed_in(world, role)
    before, shapes = checksums(), Counter[tuple[str, frozenset[str]]]()
    waiting, seen = ["/"], set()
    while waiting and len(seen) < MOST_PAGES:
        address = waiting.pop(0)
        if address in seen or shapes[shape(address)] >= alike:
            continue
        shapes[shape(address)] += 1
        seen.add(address)
        response = client.get(address, follow=True)
        body = response.getvalue()
        assert response.status_code == 200, address
        if response["Content-Type"].startswith("text/html"):
            waiting += links(address, body.decode())
            assert not useless_forms(address, body.decode(), role), address
    assert len(seen) > 5
    assert not changed(before)


def shape(address: str) -> tuple[str, frozenset[str]]:
    """The route and the names of what is asked of it."""
    parts = urlsplit(address)
    try:
        return resolve(parts.path).view_name, frozenset(parse_qs(parts.query))
    except Resolver404:
        return address, frozenset()  # a page must be there, and that is tested


def useless_forms(page: str, html: str, role: str) -> list[str]:
    """The routes to which the page would let the viewer send something, but that take nothing of them."""
    posting = (form for form in FORM.findall(html) if 'method="post"' in form)
    targets = (ACTION.search(form) for form in posting)
    routes = (resolve(urljoin(page, unescape(found[1]) if found else "").split("?")[0]).url_name for found in targets)
    of_project = (name for name in routes if TABLE[name].allowed in (OWNERS, REQUESTER, MEMBERS))
    return [name for name in of_project if expected(TABLE[name], role, "POST") == 403]


def links(page: str, html: str) -> list[str]:
    found = (urljoin(page, unescape(link)) for link in LINK.findall(html))
    own = (link for link in found if not urlsplit(link).netloc and not urlsplit(link).scheme)  # no image in the page
    return [link for link in own if not link.startswith("/static/")]
