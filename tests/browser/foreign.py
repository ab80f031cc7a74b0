"""A marketplace of another origin, as small as one can be: a page with an iframe, and the place to submit to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlencode

SANDBOX = "allow-scripts allow-forms allow-popups"  # and so of no origin at all


class Marketplace:
    """`url` is its origin; `hits` the frame's addresses with their HITs' ids; `submitted` what came back."""

    def __init__(self, port: int) -> None:
        self.url = f"http://localhost:{port}"
        self.hits: list[tuple[str, str]] = []
        self.submitted: list[dict[str, str]] = []
        self.origins: list[str | None] = []

    def page(self, path: str) -> str:
        """/preview/0 shows the first HIT, /work/0 gives it to the worker."""
        _root, act, number = path.split("/")
        address, hit = self.hits[int(number)]
        said = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": hit}
        if act == "work":
            said |= {"assignmentId": f"3ASSIGNMENT{number}", "workerId": "AWORKER", "turkSubmitTo": self.url}
        frame = f'<iframe sandbox="{SANDBOX}" width="800" height="600" src="{escape(address + "&" + urlencode(said))}">'
        return f'<!doctype html><title>A marketplace</title><a href="/work/{number}">Accept</a><br>{frame}</iframe>'


@contextmanager
def marketplace() -> Iterator[Marketplace]:
    """A marketplace that answers on a port of this machine."""

    class Desk(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(open_one.page(self.path) if self.path.count("/") == 2 else "")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            open_one.submitted.append(dict(parse_qsl(body)) | {"path": self.path})
            open_one.origins.append(self.headers["Referer"])
            self._say("<!doctype html><title>Done</title><h1>Thank you</h1>")

        def _say(self, text: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_given: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Desk)
    open_one = Marketplace(server.server_address[1])
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield open_one
    finally:
        server.shutdown()
        server.server_close()
