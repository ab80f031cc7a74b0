"""What may happen to a request on its way: a proxy before a marketplace that spoils a share of them.

`before` faults happen instead of the request; `after` faults after the marketplace has done what it was asked.
"""

from __future__ import annotations

import http.client
import socket
import struct
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

JSON = "application/x-amz-json-1.1"
HTML = b"<!doctype html><title>Sign in</title><p>Welcome to the network of the station."
THROTTLED = b'{"__type":"ThrottlingException","Message":"Rate exceeded"}'
FAULT = b'{"__type":"ServiceFault","Message":"Something is wrong here"}'
WORKS = b'{"Message":"Service Unavailable"}'
BEFORE = {"cut before", "throttled", "too many", "unavailable before"}
REPLIES: dict[str, tuple[int, str, bytes]] = {
    "throttled": (400, JSON, THROTTLED),
    "too many": (429, JSON, THROTTLED),
    "unavailable before": (503, JSON, WORKS),
    "fault after": (500, JSON, FAULT),
    "odd after": (505, "text/html", HTML),
    "bad gateway after": (502, "text/html", HTML),
    "html after": (200, "text/html", HTML),
    "empty after": (200, JSON, b""),
    "wrong type after": (200, JSON, b"[1]"),
}
FAULTS = ["cut before", "cut after", "cut json after", "silence after", *REPLIES]


class FaultyNetwork:
    """Open it with `with`; `url` is the endpoint to be used. `seen` counts what happened, by fault."""

    def __init__(
        self, upstream: int, *, share: float = 0.2, faults: list[str] | None = None, seed: int = 1, silence: float = 1.0
    ) -> None:
        self.upstream, self.share, self.silence = upstream, share, silence
        self.faults = faults if faults is not None else ["cut before", "cut after"]
        self.seen: Counter[str] = Counter()
        self._rng, self._lock = Random(seed), threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    def __enter__(self) -> FaultyNetwork:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def draw(self) -> str:
        """The fault that meets the next request; empty: none."""
        with self._lock:
            fault = self._rng.choice(self.faults) if self._rng.random() < self.share else ""
            self.seen[fault or "fine"] += 1
            return fault

    def pass_on(self, path: str, headers: Any, body: bytes) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=30)
        try:
            connection.request("POST", path, body, dict(headers))
            reply = connection.getresponse()
            return reply.status, reply.getheader("Content-Type") or JSON, reply.read()
        finally:
            connection.close()


def _handler(network: FaultyNetwork) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # a body sent after its headers would wait 40 ms for their acknowledgement

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            fault = network.draw()
            if fault == "cut before":
                return self._reset()
            reply = (0, "", b"") if fault in BEFORE else network.pass_on(self.path, self.headers, body)
            if fault == "cut after":
                return self._reset()
            if fault == "silence after":
                threading.Event().wait(network.silence)
                return self._reset()
            if fault == "cut json after":
                return self._reply(reply[0], reply[1], reply[2], only=len(reply[2]) // 2)
            return self._reply(*REPLIES.get(fault, reply))

        def _reply(self, status: int, kind: str, body: bytes, *, only: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body[:only])
            self.close_connection = True

        def _reset(self) -> None:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    return Handler
