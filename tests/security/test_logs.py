"""The log as it is written in production holds what happened, and nothing of what anybody typed."""

from __future__ import annotations

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from annotation.flow.errors import Refused
from annotation.flow.projects import job_queue
from annotation.models import Job
from annotation.operations.logs import EXTRA_FIELDS, configuration, pseudonym_of
from tests.long_forms import first
from tests.security.routes import TABLE, urls
from tests.security.world import World

CANARY = "canary-4711"
PLANTED = {
    "username": f"{CANARY}@lab.example",
    "password": f"{CANARY}-password",
    "text": f"{CANARY} said so",
    "answer": CANARY,
    "display_name": CANARY,
    "file": CANARY,
}

FIELDS = {"time", "level", "logger", "message", "request_id", "error", "frames", *EXTRA_FIELDS}


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What a process with LOG_FORMAT=json writes, every logger at the level of production or lower."""
    out = io.StringIO()
    wish = configuration(json=True, level="INFO")
    handler = wish["handlers"]["stderr"] | {"stream": out}
    before = {name: logging.getLogger(name).level for name in (None, "hopscribe.request", "hopscribe.job")}
    root = logging.getLogger()
    kept = list(root.handlers)
    logging.config.dictConfig(wish | {"handlers": {"stderr": handler}})
    written = root.handlers[:]
    root.handlers = [*kept, *written]
    yield out
    root.handlers = kept
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError(f"Key (email)=({CANARY}@lab.example) already exists")


@pytest.mark.soak
@pytest.mark.parametrize("one_in", first(1, [4, 1]), ids=["", "whole"])
def test_no_line_tells_what_was_asked_or_typed(
    one_in: int, world: World, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On each address that is open to a stranger and a worker, and one in `one_in` of an owner's."""
    addresses = urls(world)
    for role in ("anonymous", "alice", "bob"):
        client = Client(raise_request_exception=False)
        if role != "anonymous":
            client.force_login(world.users[role])
        open_to = [name for name in addresses if role in TABLE[name].allowed and name != "sign-out"]
        for name in open_to[:: one_in if role == "alice" else 1]:
            client.get(f"{addresses[name]}?q={CANARY}&email={CANARY}@lab.example").getvalue()
            if "POST" in TABLE[name].statuses:
                client.post(f"{addresses[name]}?next=/{CANARY}", PLANTED).getvalue()
        client.get(f"/join/{CANARY}/")
        client.get("/", headers={"Host": f"{CANARY}.example", "X-Request-ID": f"{CANARY}@lab.example"})
        client.get(f"/nowhere/{CANARY}/", headers={"X-Request-ID": "an id with spaces"})
    strict = Client(enforce_csrf_checks=True)
    strict.post(f"{addresses['join']}?{CANARY}", PLANTED)
    monkeypatch.setattr("annotation.flow.people.members.usable_invite", broken)
    assert Client(raise_request_exception=False).post(addresses["join"], PLANTED).status_code == 500
    result = log.getvalue()
    assert CANARY not in result
    for secret in [addresses["join"].split("/")[2], addresses["password-reset"].split("/")[4], *world.secrets]:
        assert secret not in result
    rows = lines(log)
    requests = [row for row in rows if row["logger"] == "hopscribe.request"]
    assert {row["route"] for row in requests} >= {"join", "password-reset", "sign-in", "submit", "unresolved"}
    assert {row["user"] for row in requests if "user" in row} >= {
        pseudonym_of(world.users[r].pk) for r in ("alice", "bob")
    }
    assert {name for row in rows for name in row} <= FIELDS
    failed = next(row for row in rows if row.get("error") == "RuntimeError" and "500" not in row["message"])
    assert any("tests/security/test_logs.py" in frame and "broken" in frame for frame in failed["frames"])
    assert failed["request_id"] == requests[-1]["request_id"]


def test_an_id_is_taken_from_the_proxy_or_made_and_given_back(db: None) -> None:
    client = Client()
    assert client.get("/healthz", headers={"X-Request-ID": "from-the-proxy_1"})["X-Request-ID"] == "from-the-proxy_1"
    made = {
        client.get("/healthz", headers={"X-Request-ID": bad})["X-Request-ID"] for bad in ("short", "a b" * 9, "x" * 65)
    }
    assert all(len(one) == 32 for one in made)
    assert len(made) == 3


def test_a_job_is_told_by_kind_tries_and_outcome(project: Any, log: io.StringIO) -> None:
    def fail(job: Job, progress: Any) -> dict[str, Any]:
        raise ValueError(CANARY)

    def refuse(job: Job, progress: Any) -> dict[str, Any]:
        raise Refused(CANARY)

    verbs: dict[str, Any] = {"good": lambda job, progress: {}, "bad": fail, "no": refuse}
    for kind in verbs:
        job_queue.post(kind, project=project, title=CANARY, arguments={"path": CANARY})
    while job := job_queue.take():
        job_queue.run(job, verbs)
    rows = [row for row in lines(log) if row["logger"] == "hopscribe.job"]
    assert {(row["kind"], row["tries"], row["outcome"]) for row in rows} == {
        ("good", 1, "done"), ("bad", 1, "defect"), ("no", 1, "refused"),
    }  # fmt: skip
    assert all(row["request_id"] == row["job"] and row["seconds"] >= 0 for row in rows)
    assert CANARY not in log.getvalue()
