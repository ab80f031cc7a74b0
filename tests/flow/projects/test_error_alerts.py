"""Defects are posted to the administrator's address: once, soon, without what anybody typed, in nobody's way."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from annotation.flow.notifications import safe_http
from annotation.flow.projects import job_queue
from annotation.operations.error_alerts import AlertHandler
from tests.mturk_api.hook import Hook, hook

Attach = Callable[[str], AlertHandler]


@pytest.fixture
def attach() -> Iterator[Attach]:
    """Puts the handler where the settings put it."""
    made: list[AlertHandler] = []

    def put(url: str) -> AlertHandler:
        made.append(AlertHandler(url))
        logging.getLogger().addHandler(made[-1])
        return made[-1]

    yield put
    for one in made:
        logging.getLogger().removeHandler(one)


@pytest.fixture
def receiver() -> Iterator[Hook]:
    with hook(500) as found:
        yield found


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("canary@lab.example already exists")


def told(receiver: Hook, alarm: AlertHandler) -> list[dict[str, Any]]:
    alarm.waiting.join()
    return [json.loads(body) for _headers, body in receiver.letters]


def test_a_broken_page_is_told_once_with_its_route_and_no_word_of_anybody(
    db: None, receiver: Hook, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    alarm = attach(receiver.url)
    monkeypatch.setattr("annotation.flow.people.members.usable_invite", broken)
    client = Client(raise_request_exception=False)
    for k in range(3):
        response = client.get(f"/join/canary-{k}/?canary=canary", headers={"X-Request-ID": f"request-{k}"})
        assert response.status_code == 500
    letters = told(receiver, alarm)  # the first answer was 500: that is not told either, nor tried again
    assert len(letters) == 1
    assert letters[0]["error"] == "builtins.RuntimeError"
    assert (letters[0]["route"], letters[0]["request_id"], letters[0]["missed"]) == ("join", "request-0", 0)
    assert letters[0]["version"]
    assert letters[0]["frames"][-1].endswith(" broken")
    assert "canary" not in str(letters)
    monkeypatch.setattr("annotation.operations.error_alerts.AGAIN_AFTER", 0.0)
    client.get("/join/canary/")
    assert told(receiver, alarm)[1]["missed"] == 2


def test_a_defect_of_a_job_is_told_and_the_database_being_away_is_not(
    project: Any, receiver: Hook, attach: Attach
) -> None:
    def away(*_: Any) -> Any:
        raise OperationalError

    alarm = attach(receiver.url)
    for kind in ("bad", "away"):
        job_queue.post(kind, project=project, title=kind, arguments={})
    ids = set()
    while job := job_queue.take():
        ids.add(job.public_id)
        job_queue.run(job, {"bad": broken, "away": away})
    letters = told(receiver, alarm)
    assert [letter["logger"] for letter in letters] == ["annotation.flow.projects.job_queue"]
    assert letters[0]["request_id"] in ids


def test_only_so_many_are_told_and_nobody_waits_for_an_address_that_is_gone(
    attach: Attach, receiver: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    over, waits, post = threading.Event(), list[bool](), safe_http.post

    def slow(url: str, *more: Any, **options: Any) -> int:
        if url != receiver.url:
            waits.append(over.wait(30))  # whoever waited for this would never come to its end
        return post(url, *more, **options)

    monkeypatch.setattr(safe_http, "post", slow)
    gone, many = attach("http://127.0.0.1:9/"), attach(receiver.url)
    log = logging.getLogger("annotation.test")
    for k in range(100):
        scope: dict[str, Any] = {}
        exec(f"class Error{k}(Exception): pass", scope)
        try:
            raise scope[f"Error{k}"]
        except Exception:
            log.exception("a defect")
    over.set()
    gone.waiting.join()
    assert waits == [True] * 20
    assert len(told(receiver, many)) == 20
