"""The HTTP server of the emulator: the API with its faults, the participants' pages, and the delivery of webhooks."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from annotation.prolific_emulator import (
    bonuses,
    filters,
    link_tokens,
    pages,
    people,
    routing,
    studies,
    submissions,
    webhooks,
    workspaces,
)
from annotation.prolific_emulator import faults as drawn
from annotation.prolific_emulator.faults import Faults
from annotation.prolific_emulator.problems import Problem
from annotation.prolific_emulator.routing import Call, Reply
from annotation.prolific_emulator.world import World

MODULES = (
    filters,
    webhooks,
    link_tokens,
    bonuses,
    people,
    studies,
    submissions,
    workspaces,
)  # each registers its operations
ROUND = 0.05  # seconds between two looks for webhooks that are due
MOST_BYTES = 2_000_000


@dataclass(frozen=True)
class Exchange:
    """One request to the API with its response, for those who watch."""

    method: str
    template: str
    request: Any
    status: int
    response: Any


class Emulator:
    """Open it with `with`; `url` is the API's address and that of the participants' pages.

    `watch` is called with each exchange.
    """

    def __init__(
        self,
        world: World | None = None,
        faults: Faults | None = None,
        *,
        bind: tuple[str, int] = ("127.0.0.1", 0),
        watch: Callable[[Exchange], None] | None = None,
    ) -> None:
        self.world, self.faults = world or World(), faults or Faults()
        self.watch, self._over = watch, threading.Event()
        self._server = _Server(bind, type("Handler", (_Handler,), {"emulator": self}))
        host = f"[{bind[0]}]" if ":" in bind[0] else bind[0]
        self.url = f"http://{host}:{self._server.server_address[1]}"
        self.world.origin = self.url

    def __enter__(self) -> Emulator:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        threading.Thread(target=self._deliver, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def ended(self, seconds: float) -> bool:
        """Wait so long; whether it has ended."""
        return self._over.wait(seconds)

    def _deliver(self) -> None:
        while not self._over.wait(ROUND):
            with self.world.lock:
                submissions.act_on_time(self.world)
                for event in self.world.events:
                    self.faults.spoil(event)
                rows = webhooks.due(self.world)
            for event in rows:
                webhooks.deliver(self.world, event)

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Reply:
        """Carry out one operation of the API."""
        template, reply = path, Reply(500, None)
        try:
            template, parts, act = routing.find(method, path)
            with self.world.lock:
                submissions.act_on_time(self.world)
                if not isinstance(body, dict):
                    raise Problem(400, "The body must be a JSON object.")
                reply = act(Call(self.world, path, parts, query, body))
        except Problem as refusal:
            reply = Reply(refusal.status, refusal.as_json())
        if self.watch:
            self.watch(Exchange(method, template, body, reply.status, reply.body))
        return reply


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    emulator: Emulator  # set in a subclass for each server

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a body sent after its headers would wait 40 ms for their acknowledgement

    def do_GET(self) -> None:
        with suppress(ConnectionError):
            self._serve()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def _serve(self) -> None:
        raw = self.rfile.read(min(int(self.headers["Content-Length"] or 0), MOST_BYTES))
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query))
        if not parts.path.startswith(("/api/", "/.well-known/")):
            shown = pages.answer(self.emulator, self.command, parts.path, query, raw, self.headers)
            return self._send(shown.status, shown.kind, shown.body.encode(), shown.headers)
        fault = self.emulator.faults.draw()
        if fault == drawn.CUT_BEFORE:
            return self._cut()
        reply = self._refused(fault) or self._answer(parts.path, query, raw)
        if fault == drawn.CUT_AFTER or (fault == drawn.HALF and reply.status == 204):
            return self._cut()
        if fault == drawn.ERROR_AFTER:
            reply = Reply(500, Problem(500, "Something went wrong.").as_json())
        body = b"" if reply.status == 204 else json.dumps(reply.body).encode()
        only = len(body) // 2 if fault == drawn.HALF else None
        return self._send(reply.status, "application/json", body, dict(reply.headers), only=only)

    def _refused(self, fault: str) -> Reply | None:
        if fault == drawn.TOO_MANY:
            return Reply(429, Problem(429, "Request was throttled.").as_json(), {"Retry-After": "1"})
        if fault == drawn.ERROR_BEFORE:
            return Reply(500, Problem(500, "Something went wrong.").as_json())
        if self.headers["Authorization"] != f"Token {self.emulator.world.token}":
            return Reply(401, Problem(401, "Authentication credentials were not provided.").as_json())
        return None

    def _answer(self, path: str, query: dict[str, str], raw: bytes) -> Reply:
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            return Reply(400, Problem(400, "The body is not JSON.").as_json())
        return self.emulator.answer(self.command, path, query, body)

    def _send(self, status: int, kind: str, body: bytes, headers: dict[str, str], *, only: int | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[:only])
        self.close_connection = self.close_connection or only is not None

    def _cut(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Requests are not logged: the token is in their headers."""
