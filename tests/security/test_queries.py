"""Whatever stands in an address or a form, the answer is a page, and no more of the database than the page shows."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest
from django.db import transaction
from django.test import Client
from django.urls.converters import IntConverter

from tests.long_forms import first
from tests.security.routes import TABLE, parameters, url
from tests.security.world import World

LISTS = {
    "alice": ["dataset", "datasets", "dataset-new", "people", "batches", "batch-new", "batch-assignments", "hits",
    "problem-reports",
              "batch-preview", "review", "review-answer", "preview-live",
              "report", "batch-workers", "project", "search", "job", "item", "qualification"],
    "bob": ["work", "history", "live", "assignment", "consent", "batch-instructions", "back", "feedback",
            "marketplace", "marketplace-group", "my-messages"],
}  # fmt: skip
ODD = [
    "", "0", "-1", "1", "1e9", "NaN", "9" * 25, "٣", "²", "last", "none", "True", "\0", "a\0b", "'", '"', "%",
    "_", "\\", "*", "(",
    "' OR 1=1 --", "'; DROP TABLE annotation_user; --", "\ud83d", "😀", "\u202e", "../../etc/passwd", "{{ 7 }}",
    "[", "(a+)+$",
    "x" * 5000, "submitted", "-pk", "?", "worker__user__password", "pk; SELECT 1", "http://evil.example",
    "\r\nX-Evil: 1",
]  # fmt: skip
NAMES = ["q", "page", "sort", "order", "order_by", "show", "hops", "shape", "answerable", "after", "before",
    "worker", "n", "seed",
         "dataset", "next", "name", "format", "limit", "offset", "filter", "fields", "id", "pk",
         "ordering"]  # fmt: skip
LOOKUPS = [
    "password__startswith", "user__password__startswith", "worker__user__password__regex",
    "created_by__password__contains",
    "project__pseudonym_key__startswith", "dataset__created_by__password__gt", "hit__item__content__contains",
    "id__in",
    "item__content__icontains", "assignment__responses__answer__contains", "pk__gte", "user__username__startswith",
]  # fmt: skip
CHANGING = re.compile(
    r'name="csrfmiddlewaretoken" value="[^"]*"|name="key" value="[^"]*"|\b\d+ (?:minutes?|seconds?)\b|T[\d:.]+\+00:00'
)


def asked(query: str, value: str) -> str:
    return "&".join(f"{quote(part)}={quote(value, errors='surrogatepass')}" for part in query.split())


def shown(client: Client, address: str) -> str:
    response = client.get(address)
    return f"{response.status_code} {CHANGING.sub('', response.content.decode())}"


PAGES = [(role, name) for role, names in LISTS.items() for name in names]
# Each page is asked for each parameter, and each odd value is asked of many pages; each of each only in the soak.
IN_TURN = 12
WHOLE = pytest.param(1, marks=pytest.mark.soak, id="everything")
AS_IT_IS = pytest.mark.postgresql(reason="each text and number goes to the database as it is")


@pytest.mark.parametrize("one_in", [pytest.param(IN_TURN, id=""), WHOLE])
@pytest.mark.parametrize(("role", "name"), first(len(PAGES) // 2, PAGES[::2] + PAGES[1::2]))
def test_odd_questions_get_a_page_and_columns_are_not_asked_about(
    role: str, name: str, one_in: int, world: World
) -> None:
    client, turn = Client(), PAGES.index((role, name))
    client.force_login(world.users[role])
    address = url(name, world.wells)
    plain = re.sub(r'value="/[^"]*"', "", shown(client, address))
    for lookups in [" ".join(LOOKUPS)] if one_in > 1 else LOOKUPS:
        assert re.sub(r'value="/[^"]*"', "", shown(client, f"{address}?{asked(lookups, 'md5')}")) == plain, lookups
    together = [asked(" ".join(NAMES), value) for value in ODD[turn % one_in :: one_in]]
    groups = len(NAMES) if one_in == 1 else len(NAMES) // 6
    alone = [asked(" ".join(NAMES[k::groups]), ODD[(7 * k + turn) % len(ODD)]) for k in range(groups)]
    for query in [*together, *alone]:
        response = client.get(f"{address}?{query}")
        assert response.status_code in {200, 302, 404}, query
        assert "X-Evil" not in response.headers


NUMBERS = ["9" * 30, str(2**63), str(2**63 - 1)]
WORDS = ["\0", "x" * 3000, "😀"]


def strange(name: str, things: dict[str, Any], *, turn: int, everything: bool) -> list[str]:
    """The route's address with each of its parts replaced by something strange: by one such text or number in turn."""
    good, made = url(name, things), []
    for part, kind in parameters(name).items():
        value = str(things.get(f"{name}.{part}", things.get(part)))
        odd = NUMBERS if isinstance(kind, IntConverter) else WORDS
        place = re.compile(rf"(?<=[/.]){re.escape(value)}(?=[/.]|$)")
        chosen = odd if everything else [odd[turn % len(odd)]]
        made += [place.sub(quote(word), good, count=1) for word in chosen]
    return made


@AS_IT_IS
@pytest.mark.parametrize("everything", [pytest.param(False, id=""), pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize("role", first(1, ["alice", "bob", "anonymous"]))
def test_strange_addresses_are_not_there(role: str, everything: bool, world: World) -> None:
    client = Client()
    if role != "anonymous":
        client.force_login(world.users[role])
    for turn, (name, row) in enumerate(TABLE.items()):
        for address in strange(name, world.wells, turn=turn, everything=everything) if role in row.allowed else []:
            response = client.get(address) if "GET" in row.statuses else client.post(address)
            response.getvalue()
            refused = {403} if name.startswith("frame-") else set()
            assert response.status_code in {302, 404, 410} | refused, address[:200]


FIELDS = [
    "username", "password", "display_name", "next", "language", "version", "key", "kind", "text", "paragraph",
    "start", "end",
    "option", "support", "fact", "active_seconds", "reason", "title", "consent", "role", "places", "days", "note",
    "active", "name",
    "slug", "task", "datasets", "sample", "seed", "assignments_per_hit", "instructions", "workers", "which",
    "expected_minutes", "meeting",
    "purpose", "format", "licence", "source", "proposed_for", "new_password1", "new_password2",
]  # fmt: skip
FILLINGS = ["\0", "9" * 30, "-1", "NaN", "😀" * 40, "x" * 9000, "\ud800"]


@AS_IT_IS
@pytest.mark.parametrize("one_in", [pytest.param(len(FILLINGS), id=""), WHOLE])
@pytest.mark.parametrize("role", first(1, ["alice", "bob"]))
def test_strange_fillings_of_a_form_are_refused_or_kept(role: str, one_in: int, world: World) -> None:
    client = Client()
    client.force_login(world.users[role])
    for turn, (name, row) in enumerate(TABLE.items()):
        if role not in row.allowed or "POST" not in row.statuses or name == "sign-out":
            continue
        for filling in FILLINGS[turn % one_in :: one_in]:
            body = "&".join(f"{field}={quote(filling, errors='surrogatepass')}" for field in FIELDS)
            with transaction.atomic():
                response = client.post(url(name, world.wells), body, content_type="application/x-www-form-urlencoded")
                transaction.set_rollback(True)
            assert response.status_code < 500, f"{name}: {filling[:20]!r}"


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"null", b'"a"', b"{}", b'{"off": 1, "keys": {}}', b'{"off": true, "keys": []}',
    b"[" * 100_000, b"\xff\xfe",
    b'{"off": true, "keys": {"a": 1}}', b'{"off": true, "keys": {"": "x"}}',
    b'{"off": true, "keys": {"a": "\\u0000"}}',
    b'{"off": true, "keys": {"a": "\\ud800"}}', b'{"off": true, "keys": {"\\udfff": "a"}}',
    b'{"off": NaN, "keys": {}}',
])  # fmt: skip
def test_keys_that_nobody_has_are_refused(client: Any, alice: Any, body: bytes) -> None:
    client.force_login(alice)
    response = client.post("/accounts/preferences/", body, content_type="application/json")
    assert response.status_code == 400
    alice.refresh_from_db()
    assert alice.shortcuts == {}
