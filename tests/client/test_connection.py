"""Requests that meet a bad day: tried again under the same key, and then given up with a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from hopscribe_client import Hopscribe, HopscribeError, NotReached, Problem, Rows

Answer = httpx.Response | Exception


class Network:
    """Answers in turn with what it was given; the last one stays."""

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.requests, self.waits = list(answers), [], []
        self.bodies: list[bytes] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        self.bodies.append(request.read())
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(found, Exception):
            raise found
        return httpx.Response(found.status_code, headers=found.headers, content=found.content)

    def client(self, **more: Any) -> Hopscribe:
        transport = httpx.MockTransport(self)
        return Hopscribe("http://h.example/", "hop_x", "p", transport=transport, pause=self.waits.append, **more)


DONE = httpx.Response(201, json={"name": "b", "state": "draft"})
LOST = httpx.ReadTimeout("no answer")


def create(client: Hopscribe) -> Any:
    return client.batches.create("B", task="answer", datasets=["d"])


def test_a_write_is_tried_again_under_its_key_and_waits_as_long_as_it_is_asked_to() -> None:
    network = Network(LOST, httpx.ConnectError("refused"), httpx.Response(429, headers={"Retry-After": "40"}), DONE)
    assert create(network.client()).name == "b"
    keys = {request.headers["Idempotency-Key"] for request in network.requests}
    assert (len(network.requests), len(keys)) == (4, 1)
    assert network.waits[0] < network.waits[1] < network.waits[2]
    assert network.waits[2] >= 40
    assert network.requests[0].headers["Authorization"] == "Bearer hop_x"
    create(network.client())
    assert network.requests[-1].headers["Idempotency-Key"] not in keys, "another wish, another key"


def test_a_file_is_sent_from_its_beginning_at_each_try(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"{}\n" * 1000)
    job = {"id": "j", "kind": "import_dataset", "state": "done", "name": "a", "size": 1}
    network = Network(LOST, httpx.Response(503), httpx.Response(200, json=job))
    network.client().datasets.add(file, name="a", skip_bad=True)
    assert network.bodies[:3] == [file.read_bytes()] * 3
    assert dict(network.requests[0].url.params) == {"name": "a", "file_name": "a.jsonl", "skip_bad": "true"}


@pytest.mark.parametrize(("answer", "error"), [(LOST, NotReached), (httpx.Response(503), Problem)])
def test_after_the_last_try_it_says_so(answer: Answer, error: type[Exception]) -> None:
    network = Network(answer)
    with pytest.raises(error):
        create(network.client(tries=3))
    assert len(network.requests) == 3


def test_a_refusal_is_not_tried_again() -> None:
    result = {"title": "Conflict", "status": 409, "detail": "launched before", "retry": True}
    network = Network(httpx.Response(409, json=result))
    with pytest.raises(Problem, match="409 Conflict: launched before") as refused:
        create(network.client())
    assert (refused.value.detail, refused.value.members["retry"], len(network.requests)) == ("launched before", True, 1)
    with pytest.raises(Problem, match="500 Internal Server Error: <html>"):
        create(Network(httpx.Response(500, text="<html>")).client())


def test_pages_are_followed_on_our_own_server_only() -> None:
    first = {"results": [{"name": "a", "size": 1}], "next": "https://evil.example/steal?cursor=2&limit=9"}
    network = Network(httpx.Response(200, json=first), httpx.Response(200, json={"results": [], "next": None}))
    assert [one.name for one in network.client().datasets] == ["a"]
    assert [str(request.url) for request in network.requests] == [
        "http://h.example/api/v1/projects/p/datasets/",
        "http://h.example/api/v1/projects/p/datasets/?cursor=2&limit=9",
    ]


def test_what_is_not_given_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "TOKEN", "PROJECT"):
        monkeypatch.delenv(f"HOPSCRIBE_{name}", raising=False)
    with pytest.raises(HopscribeError, match="HOPSCRIBE_TOKEN"):
        Hopscribe("http://h.example")


FRAMES: list[Callable[[Rows], Any]] = [Rows.to_pandas, Rows.to_polars, Rows.to_dataset]


@pytest.mark.parametrize("frame", FRAMES)
def test_rows_of_different_shapes_come_into_one_frame(frame: Callable[[Rows], Any]) -> None:
    found = frame(
        Rows(
            lambda: [
                {"a": 1, "b": {"c": [1, 2], "d": None}},
                {"a": 2.5, "e": "text", "b": {"c": [], "d": {"deep": 1}}},
                {"a": None, "e": 3, "b": {}},
            ]
        )
    )
    assert len(found) == 3


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(HopscribeError, match=r"hopscribe\[client\]"):
        Rows(list).to_polars()


def test_an_address_is_one_or_is_refused_at_once() -> None:
    network = Network(httpx.Response(200, json={}))
    transport = httpx.MockTransport(network)
    for given in ("https://h.example", "https://h.example/", "https://h.example/api/v1/"):
        assert Hopscribe(given, "hop_x", "p", transport=transport).facts == {}
    assert {str(request.url) for request in network.requests} == {"https://h.example/api/v1/projects/p/"}
    for wrong in ("h.example", "127.0.0.1:8000", "ftp://h.example", "https:///x"):
        with pytest.raises(HopscribeError, match="is no address"):
            Hopscribe(wrong, "hop_x", "p", transport=transport)
