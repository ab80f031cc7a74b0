"""A server of our own over HTTP on the test's database, and people who answer while a program waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection, connections
from hopscribe_client import Hopscribe

from annotation import jobs
from annotation.flow.projects import api_tokens
from tests.flow.acting import submit, take


class Quiet(WSGIRequestHandler):
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        pass


class Town:
    """`url` is the server's. Its threads share the test's connection, so only one of them is at work at a time."""

    def __init__(self) -> None:
        self._lock, self._over = threading.Lock(), threading.Event()
        self.troubles: list[BaseException] = []
        self._handler = WSGIHandler()
        self._server = make_server("127.0.0.1", 0, self._answer, handler_class=Quiet)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def _answer(self, environ: Any, start: Any) -> list[bytes]:
        with self._lock:
            connections["default"] = self._connection
            response = self._handler(environ, start)
            try:
                return [b"".join(response)]
            finally:
                response.close()

    @contextmanager
    def open(self, *turns: Callable[[], None]) -> Iterator[None]:
        """Serve, and let the turns be taken again and again meanwhile."""
        self._connection = connections["default"]
        self._connection.inc_thread_sharing()
        serving = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        living = threading.Thread(target=self._live, args=turns)
        try:
            serving.start()
            living.start()
            yield
        finally:
            self._over.set()
            self._server.shutdown()
            serving.join()
            living.join()
            self._server.server_close()
            self._connection.dec_thread_sharing()
        assert not self.troubles, self.troubles

    def _live(self, *turns: Callable[[], None]) -> None:
        connections["default"] = self._connection
        while not self._over.wait(0.05):
            try:
                with self._lock:
                    jobs.run_due_work()
                    for turn in turns:
                        turn()
            except BaseException as trouble:
                self.troubles.append(trouble)
                return


@pytest.fixture
def town(project: Any, alice: Any, bob: Any, carol: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Town]:
    """Bob and Carol answer whatever is open, one after another; Alice has a token in the environment."""
    if connection.vendor != "sqlite":
        pytest.skip("a connection to PostgreSQL is not for several threads")
    made = Town()
    _token, text = api_tokens.make(alice)
    for name, value in {"URL": made.url, "TOKEN": text, "PROJECT": "wells"}.items():
        monkeypatch.setenv(f"HOPSCRIBE_{name}", value)

    def answer() -> None:
        for batch in project.batches.filter(state="open"):
            for worker in (bob, carol):
                if row := take(worker, batch):
                    submit(row)

    with made.open(answer):
        yield made


@pytest.fixture
def hopscribe(town: Town) -> Iterator[Hopscribe]:
    with Hopscribe() as made:
        yield made
