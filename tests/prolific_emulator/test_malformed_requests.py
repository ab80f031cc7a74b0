"""Whatever is sent to the emulator, it answers, as its own errors look; and it goes on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
from prolific_emulator import routing, server
from prolific_emulator.server import Emulator
from prolific_emulator.world import World

from tests.prolific_emulator.conftest import TOKEN
from tests.prolific_emulator.test_client_examples import CODES, body

STATUSES = {200, 201, 202, 204, 303, 400, 404, 405, 415}  # never 500: nothing is left to the last resort
VALUES: list[Any] = [
    None, True, -1, 0, 3.5, 10**30, 1e308, "", "x", "9" * 50, "\ud800", "\r\nX: y", [], [[]], ["x", 5], {},
    {"a": {"b": []}}, [{"action": 5}], [{"filter_id": 5}], {"code": []}, "http://[", "https://\u00e9/", [None], [{}],
]  # fmt: skip
HEADERS = [
    "Content-Length: x", "Content-Length: -5", "Content-Length: 99999999999", "Content-Length: 4\r\nContent-Length: 5",
    "Transfer-Encoding: chunked", "Content-Type: text/plain", "Content-Type: ;;;", "Content-Encoding: gzip",
    "Cookie: =;=;\x80", "Host", "X: " + "y" * 70_000, "Expect: 200-maybe",
]  # fmt: skip
BODIES = [
    b"{",
    b"\xff\xfe",
    b"[" * 100_000,
    b"5",
    b"null",
    b"[]",
    b'"x"',
    b'{"a": NaN}',
    b"9" * 5000,
    b"\0",
    "{}".encode("utf-16"),
]
LINES = [
    b"", b"GET\r\n\r\n", b"GET /\r\n\r\n", b"\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/x\r\n\r\n",
    b"\x16\x03\x01\x02\r\n\r\n", b"GET * HTTP/1.1\r\n\r\n",
    b"BREW / HTTP/1.1\r\n\r\n", b"get / HTTP/1.1\r\n\r\n", b"GET " + b"/" * 70_000 + b" HTTP/1.1\r\n\r\n",
    b"GET //[ HTTP/1.1\r\n\r\n", b"GET http://[/ HTTP/1.1\r\n\r\n", b"GET /\xff%ff%00 HTTP/1.1\r\n\r\n",
]  # fmt: skip


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    monkeypatch.setattr(server, "LINGERING", 0.05)
    with Emulator(World(token=TOKEN, seed=7)) as opened:
        yield opened


@contextmanager
def connected(emulator: Emulator) -> Iterator[socket.socket]:
    parts = urlsplit(emulator.url)
    with closing(socket.create_connection((parts.hostname, parts.port), timeout=20)) as channel:
        yield channel


def answer(emulator: Emulator, request: bytes) -> tuple[int, bytes]:
    """(status, body) of the only response to a request that is sent whole."""
    with connected(emulator) as channel:
        channel.sendall(request)
        channel.shutdown(socket.SHUT_WR)
        received = b"".join(iter(lambda: channel.recv(65_536), b""))
    head, _gap, rest = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 "), (request[:200], received[:200])
    return int(head.split()[1]), rest


def request(method: str, path: str, *, raw: bytes = b"", extra: str = "") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Authorization: Token {TOKEN}", *([extra] if extra else [])]
    if "Content-Length" not in extra:
        lines.append(f"Content-Length: {len(raw)}")
    if "Content-Type" not in extra:
        lines.append("Content-Type: application/json")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + raw


def check(emulator: Emulator, sent: bytes) -> int:
    status, received = answer(emulator, sent)
    assert status in STATUSES, (sent[:300], status, received[:300])
    if status >= 400 and not received.startswith(b"<!doctype") and received:
        assert json.loads(received)["error"]["status"] == status
    return status


@pytest.fixture
def known(emulator: Emulator) -> dict[str, str]:
    """Ids for the parts of addresses, of things that there are."""

    def made(path: str, given: Any) -> str:
        sent = request("POST", f"/api/v1{path}", raw=json.dumps(given).encode())
        return str(json.loads(answer(emulator, sent)[1])["id"])

    workspace = emulator.world.workspace
    ids = {"workspace_id": workspace, "project_id": emulator.world.project}
    ids |= {"study": made("/studies/", body(completion_codes=CODES)), "filters": made("/filter-sets/", {"name": "B"})}
    return ids | {"group": made("/participant-groups/", {"name": "A"})}


def path_of(template: str, known: dict[str, str], rng: Random) -> str:
    kind = {"studies": "study", "participant-groups": "group", "filter-sets": "filters"}.get(template.split("/")[3], "")
    for name in ("id", "workspace_id", "project_id", "study_id", "subscription_id"):
        right = known.get(kind if name == "id" else name, "0")
        template = template.replace(
            "{" + name + "}", right if rng.random() < 0.8 else rng.choice(["0", "%2F", "é", "[]"])
        )
    query = rng.choice(
        ["", "", "?page=x", "?page=-1&page_size=0", "?offset=x", "?study[]=&created_after=x", "?=&&%&page=9e9"]
    )
    return template + query


def broken_body(rng: Random) -> bytes:
    if rng.random() < 0.2:
        return rng.choice(BODIES)
    given: dict[str, Any] = body(completion_codes=CODES, action="PUBLISH", target_url="https://example.org/", title="T")
    given |= {"filters": [], "participant_ids": ["a"], "submission_ids": ["a"], "study_id": "a", "csv_bonuses": "a,1"}
    for name in rng.sample(sorted(given), rng.choice([1, 1, 2, 5])):
        given[name] = rng.choice(VALUES)
    return json.dumps(given).encode()


def test_hundreds_of_malformed_requests_are_answered_and_the_pages_go_on(
    emulator: Emulator, known: dict[str, str]
) -> None:
    rng = Random(11)
    operations = [(verb, template) for verb, template, _pattern, _act in routing.OPERATIONS if verb != "DELETE"]
    statuses = []
    for _round in range(600):
        verb, template = rng.choice(operations)
        verb = verb if rng.random() < 0.9 else rng.choice(["PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "X-Y"])
        extra = rng.choice(HEADERS) if rng.random() < 0.2 else ""
        raw = broken_body(rng) if verb != "GET" else b""
        path = path_of(template, known, rng).encode("utf-8").decode("latin-1")
        statuses.append(check(emulator, request(verb, path, raw=raw, extra=extra)))
        if _round % 50 == 0:
            assert answer(emulator, request("GET", "/"))[0] == 200
    assert set(statuses) >= {200, 201, 400, 404, 405, 415}
    assert answer(emulator, request("GET", "/"))[0] == 200


@pytest.mark.parametrize("line", LINES, ids=range(len(LINES)))
def test_what_is_no_request_is_answered_too(emulator: Emulator, line: bytes) -> None:
    if line:
        check(emulator, line)
    assert answer(emulator, request("GET", "/"))[0] == 200


@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
@pytest.mark.parametrize("path", ["/", "/api/v1/users/me/"])
def test_no_header_keeps_the_emulator_from_answering(emulator: Emulator, header: str, path: str) -> None:
    check(emulator, request("GET", path, extra=header))


@pytest.mark.parametrize(
    "path", ["/take-part", "/return", "/turn-clock", "/send-participants", "/submissions/complete"]
)
def test_the_pages_forms_take_anything(emulator: Emulator, known: dict[str, str], path: str) -> None:
    for value in ("", "x", "-1", "nan", "1e300", "9" * 5000, "%00%ff", "%0d%0aX:y"):
        form = f"study={known['study']}&participant={value}&submission={value}&minutes={value}&number={value}"
        sent = request("POST", path, raw=form.encode(), extra="Content-Type: application/x-www-form-urlencoded")
        assert check(emulator, sent) < 500
    assert answer(emulator, request("GET", "/"))[0] == 200


@pytest.mark.parametrize("value", [{"a": 1}, ["x"], 5, None, True])
@pytest.mark.parametrize("name", ["name", "description", "reward", "completion_codes", "filters", "internal_name"])
def test_a_field_of_another_type_is_refused_and_stops_no_page(emulator: Emulator, name: str, value: Any) -> None:
    check(
        emulator,
        request("POST", "/api/v1/studies/", raw=json.dumps(body(completion_codes=CODES) | {name: value}).encode()),
    )
    status, page = answer(emulator, request("GET", "/"))
    assert (status, b"Emulated Prolific" in page) == (200, True)


def test_a_draft_cannot_be_given_a_state_or_an_id(emulator: Emulator, known: dict[str, str]) -> None:
    given = {"status": "NONE", "id": "x", "published_at": "never", "internal_name": "kept"}
    sent = request("PATCH", f"/api/v1/studies/{known['study']}/", raw=json.dumps(given).encode())
    study = json.loads(answer(emulator, sent)[1])
    assert (study["status"], study["id"], study["published_at"]) == ("UNPUBLISHED", known["study"], None)
    assert study["internal_name"] == "kept"
