"""A local double of a chat completions endpoint, with faults drawn from a seed.

Its replies fit the schema that a request asks for: chosen by the request's content, so the same item gets the same.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any

JSON = dict[str, Any]
Fault = str  # one of those of `Handler.respond`
TOKENS_OUT = 20


class Double:
    """What was received, and what is to be answered.

    `faults`: by name the share of requests; `reply`: the text of a reply to a request, instead of one by its schema.
    """

    def __init__(
        self, faults: Mapping[Fault, float] | None = None, *, seed: int = 0, reply: Callable[[JSON], str] | None = None
    ) -> None:
        self.faults, self.reply = dict(faults or {}), reply or fitting
        self.script: list[Fault] = []  # faults of the next requests, before any are drawn
        self.requests: list[JSON] = []
        self.headers: list[dict[str, str]] = []
        self.answered: Counter[str] = Counter()  # whole replies, by what the last user message of the item was
        self.release = threading.Event()  # ends slow replies
        self.arrived = threading.Semaphore(0)
        self._rng, self._lock = Random(seed), threading.Lock()
        self.url = ""

    def receive(self, request: JSON, headers: Mapping[str, str]) -> Fault:
        """Note a request; returns its fault, "" for none."""
        with self._lock:
            self.requests.append(request)
            self.headers.append(dict(headers))
            fault = self.script.pop(0) if self.script else self._draw()
            self.arrived.release()
            return fault

    def _draw(self) -> Fault:
        point = self._rng.random()
        for fault, share in self.faults.items():
            point -= share
            if point < 0:
                return fault
        return ""


def item_of(request: JSON) -> str:
    """What a request shows of its item."""
    return str(request["messages"][1]["content"])


def fitting(request: JSON) -> str:
    """A reply that fits the schema, drawn by the item."""
    schema = request["response_format"].get("json_schema", {}).get("schema", {"type": "object", "properties": {}})
    return json.dumps(_value(schema, Random(item_of(request))))


def _value(schema: JSON, rng: Random) -> Any:
    if "anyOf" in schema:
        return _value(schema["anyOf"][0], rng)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if schema["type"] == "object":
        return {name: _value(each, rng) for name, each in schema["properties"].items()}
    return {"array": [], "string": "a text", "integer": 1, "number": 1.0}[schema["type"]]


class Handler(BaseHTTPRequestHandler):
    double: Double

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        raw = self.rfile.read(size)
        request = json.loads(raw)
        fault = self.double.receive(request, self.headers)
        if not self.path.endswith("/chat/completions"):
            fault = "404"
        self.respond(fault, request, size)

    def respond(self, fault: Fault, request: JSON, size: int) -> None:
        if fault.isdigit():
            self.error(int(fault), {"Retry-After": "0"} if fault == "429" else {})
        elif fault == "redirect":
            self.error(302, {"Location": self.double.url + "/elsewhere"})
        elif fault == "endless":
            self.endless()
        else:
            self.answer(fault, request, size)

    def answer(self, fault: Fault, request: JSON, size: int) -> None:
        if fault == "slow":
            self.double.release.wait(30)
        body = self.completion(fault, request, size)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if fault == "cut":
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        self.wfile.write(body)
        with self.double._lock:
            self.double.answered[item_of(request)] += 1

    def completion(self, fault: Fault, request: JSON, size: int) -> bytes:
        if fault == "malformed":
            return b'{"choices": [{"message": '
        text = "I would say it depends." if fault == "prose" else self.double.reply(request)
        message: JSON = {"role": "assistant", "content": text}
        if fault == "refusal":
            message |= {"content": None, "refusal": "I cannot help with that."}
        choice = {"index": 0, "message": message, "finish_reason": "length" if fault == "length" else "stop"}
        usage = {"prompt_tokens": size // 4, "completion_tokens": TOKENS_OUT, "total_tokens": size // 4 + TOKENS_OUT}
        body = {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage}
        if fault == "no-usage":
            del body["usage"]
        return json.dumps(body).encode()

    def error(self, status: int, headers: Mapping[str, str]) -> None:
        said = {"error": {"message": f"refused; your key {self.headers.get('Authorization', '')} was seen"}}
        body = json.dumps(said).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            return


@contextmanager
def running(double: Double) -> Iterator[Double]:
    """Serve the double on this machine; sets its `url`."""
    handler = type("DoubleHandler", (Handler,), {"double": double})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    double.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield double
    finally:
        double.release.set()
        server.shutdown()
        server.server_close()
