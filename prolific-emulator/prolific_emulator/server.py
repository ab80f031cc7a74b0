"""The HTTP server of the emulator: the API with its faults, the participants' pages, and the delivery of webhooks."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from prolific_emulator import bonuses, pages, people, routing, submissions, webhooks, workspaces
from prolific_emulator import faults as drawn
from prolific_emulator.faults import Faults
from prolific_emulator.routing import Call, Reply
from prolific_emulator.world import Problem, World

MODULES = (bonuses, people, submissions, webhooks, workspaces)  # they and what they import register the operations
ROUND = 0.05  # seconds between two looks for webhooks that are due
JSON = "application/json"
MOST_BYTES = 2_000_000
PATIENCE = 20.0  # seconds without a byte from a client
LINGERING = 1.0  # seconds in which a client may still send what is not read, so that it can read our refusal
# what wrong types and values in a request's body or query do to the functions of the operations
MALFORMED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


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
            reply = refused(refusal)
        except MALFORMED:
            reply = refused(Problem(400, "A value of the request has another type than is described."))
        if self.watch:
            self.watch(Exchange(method, template, body, reply.status, reply.body))
        return reply


def refused(problem: Problem) -> Reply:
    """A refusal as a response."""
    return Reply(problem.status, problem.as_json())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def shutdown_request(self, request: Any) -> None:
        """Close a connection; with bytes unread that would reset it, and the client would not see our response."""
        with suppress(OSError):
            request.shutdown(socket.SHUT_WR)
            request.settimeout(LINGERING)
            while request.recv(65_536):
                pass
        self.close_request(request)


class _Handler(BaseHTTPRequestHandler):
    emulator: Emulator  # set in a subclass for each server

    protocol_version = default_request_version = "HTTP/1.1"  # the latter: refusals have a status line
    disable_nagle_algorithm = True  # a body sent after its headers would wait 40 ms for their acknowledgement
    timeout = PATIENCE
    raw_requestline: bytes  # which http.server sets

    def do_GET(self) -> None:
        with suppress(ConnectionError):
            try:
                self._serve()
            except Problem as problem:
                self.close_connection = True  # what is left of the request cannot be told from the next one
                self._send_json(refused(problem))
            except TimeoutError:
                self.close_connection = True
                self._send_json(refused(Problem(400, "The body did not come.")))
            except Exception:
                self.close_connection = True
                self._send_json(refused(Problem(500, "Something went wrong.")))

    do_HEAD = do_OPTIONS = do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def parse_request(self) -> bool:
        if not self.raw_requestline.strip():
            self.command, self.requestline, self.request_version = "", "", self.default_request_version
            self.send_error(400, "The request is empty.")
            return False
        return super().parse_request()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what http.server cannot parse, or a method that HTTP does not have."""
        self.close_connection = True
        self._send_json(refused(Problem(405 if code == HTTPStatus.NOT_IMPLEMENTED else 400, message or "Malformed.")))

    def _serve(self) -> None:
        raw, path, query = self._body(), *self._address()
        if not path.startswith(("/api/", "/.well-known/")):
            shown = pages.answer(self.emulator.world, self.command, path, query, raw, self.headers.get("Cookie", ""))
            return self._send(shown.status, shown.kind, shown.body.encode(errors="replace"), shown.headers)
        fault = self.emulator.faults.draw()
        if fault == drawn.CUT_BEFORE:
            return self._cut()
        reply = self._refused(fault) or self._answer(path, query, raw)
        if fault == drawn.CUT_AFTER or (fault == drawn.HALF and reply.status == 204):
            return self._cut()
        if fault == drawn.ERROR_AFTER:
            reply = refused(Problem(500, "Something went wrong."))
        return self._send_json(reply, half=fault == drawn.HALF)

    def _body(self) -> bytes:
        if self.headers.defects:
            raise Problem(400, "A header is malformed.")
        if "Transfer-Encoding" in self.headers:
            raise Problem(400, "Send the body with Content-Length.")
        length = self.headers.get_all("Content-Length", ["0"])
        if len(length) > 1 or not (length[0].isascii() and length[0].isdigit()) or len(length[0]) > 9:
            raise Problem(400, "Content-Length is malformed.")
        if int(length[0]) > MOST_BYTES:
            raise Problem(400, f"A body has at most {MOST_BYTES} bytes.")
        raw = self.rfile.read(int(length[0]))
        if len(raw) < int(length[0]):
            raise Problem(400, "The body is shorter than Content-Length says.")
        return raw

    def _address(self) -> tuple[str, dict[str, str]]:
        try:
            parts = urlsplit(self.path)
            return parts.path, dict(parse_qsl(parts.query))
        except ValueError:
            raise Problem(400, "The address is malformed.") from None

    def _refused(self, fault: str) -> Reply | None:
        if fault == drawn.TOO_MANY:
            return Reply(429, Problem(429, "Request was throttled.").as_json(), {"Retry-After": "1"})
        if fault == drawn.ERROR_BEFORE:
            return refused(Problem(500, "Something went wrong."))
        if self.headers["Authorization"] != f"Token {self.emulator.world.token}":
            return refused(Problem(401, "Authentication credentials were not provided."))
        return None

    def _answer(self, path: str, query: dict[str, str], raw: bytes) -> Reply:
        kind = self.headers.get_content_type() if "Content-Type" in self.headers else JSON
        if raw and (kind != JSON or self.headers.get("Content-Encoding", "identity") != "identity"):
            return refused(Problem(415, f"The body must be {JSON}, not compressed."))
        try:
            body = json.loads(raw, parse_constant=_refuse_constant) if raw else {}
        except (ValueError, RecursionError):
            return refused(Problem(400, "The body is not JSON."))
        return self.emulator.answer(self.command, path, query, body)

    def _send_json(self, reply: Reply, *, half: bool = False) -> None:
        body = b"" if reply.status == 204 else json.dumps(reply.body).encode()
        self._send(reply.status, JSON, body, dict(reply.headers), only=len(body) // 2 if half else None)

    def _send(self, status: int, kind: str, body: bytes, headers: dict[str, str], *, only: int | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[:only])
        self.close_connection = self.close_connection or only is not None

    def _cut(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Requests are not logged: the token is in their headers."""


def _refuse_constant(name: str) -> None:
    """Refuse NaN and infinities, which Python's reader would take."""
    raise ValueError(name)
