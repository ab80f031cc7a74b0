"""People who work on a peer, or on ours, as its own page does: `python -m tests.bench.peers.people PLAN OUT`.

Knows nothing of Django. A line of OUT for each acknowledged response, with the seconds of both requests.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from abc import ABC, abstractmethod
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.bench.pages import OnThePage
from tests.process.annotators import Annotator, GaveUp, Log, main

LAST = 30  # seconds after the end of a turn for what is under way
FORM = "application/x-www-form-urlencoded"


class Person(Annotator, ABC):
    """One person; `session` is what the peer's `sessions` has for them."""

    def __init__(self, plan: dict[str, Any], session: str, out: Log) -> None:
        super().__init__(plan, session, out)
        self.session, self.cookies = session, dict[str, str]()

    def work(self) -> None:
        try:
            self._work()
        except GaveUp:
            self._out.count("given up")

    def _work(self) -> None:
        self.sign_in()
        while time.monotonic() < self._end:
            began = time.monotonic()
            record = self.show()
            shown = time.monotonic()
            if record is None:
                return
            self.submit(record)
            done = time.monotonic()
            line = {"session": self.session, "record": record, "at": done}
            self._out.write(line | {"show": shown - began, "submit": done - shown})
            self.go_on()

    @abstractmethod
    def sign_in(self) -> None: ...

    @abstractmethod
    def show(self) -> str | None:
        """Ask for an item as the page does; the number of its record, None where nothing is left."""

    @abstractmethod
    def submit(self, record: str) -> None:
        """Answer it, until the peer has acknowledged that."""

    def go_on(self) -> None:
        """What the page sends between an acknowledged response and the next item."""

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> tuple[int, str, str]:
        """(status, where it leads, body); tries again while the server is away or says 5xx. Raises GaveUp."""
        end = self._end + LAST
        while time.monotonic() < end:
            try:
                found = self._asked(
                    method, path, body, {name.replace("_", "-"): text for name, text in headers.items()}
                )
                if found[0] < 500:
                    return found
                self._out.count("refused")
            except (OSError, HTTPException):
                self._out.count("broken")
                self._connection = None
            time.sleep(0.1)
        raise GaveUp(f"{method} {path}")

    def _asked(self, method: str, path: str, body: str | None, more: dict[str, str]) -> tuple[int, str, str]:
        if self._connection is None:
            self._connection = HTTPConnection("127.0.0.1", self._port, timeout=LAST)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Cookie": cookies, "Accept-Encoding": "gzip", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64)"}
        self._connection.request(method, path, body, headers | ({"Content-Type": FORM} if body else {}) | more)
        reply = self._connection.getresponse()
        content = reply.read()
        for set_cookie in reply.headers.get_all("Set-Cookie") or []:
            name, _, value = set_cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        text = (gzip.decompress(content) if reply.getheader("Content-Encoding") == "gzip" else content).decode()
        return reply.status, reply.getheader("Location") or "", text


class Ours(OnThePage):
    """Somebody on our own page; what is sent after an answer, to be shown an item, is `show`."""

    def __init__(self, plan: dict[str, Any], session: str, out: Log) -> None:
        super().__init__(plan, session, out)
        self._session = session

    def send(self, method: str, path: str, fields: Any = None, **more: Any) -> tuple[int, str, str]:
        began = time.monotonic()
        answer = super().send(method, path, fields, **more)
        done = time.monotonic()
        if not path.endswith("/submit/"):
            self._out.write({"show": done - began})
        elif answer[0] in {200, 204}:
            record = fields["text"].split()[1]
            self._out.write({"session": self._session, "record": record, "at": done, "submit": done - began})
        return answer


if __name__ == "__main__":
    plan = json.loads(Path(sys.argv[1]).read_text())
    module, _, name = plan["person"].partition(":")
    sys.exit(main(plan, Path(sys.argv[2]), getattr(import_module(module), name)))
