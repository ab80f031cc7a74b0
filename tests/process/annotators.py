"""Annotators as HTTP clients: `python -m tests.process.annotators PLAN OUT`, one thread each.

As the page's scripts do, they get the next item in the answer to a submission, and load a page only before the first.
Every acknowledged submission becomes a line of OUT before anything else happens. A lost connection or a 5xx is
retried with the same form, as the page does. Knows nothing of Django.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import threading
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

TOKEN = "a" * 32  # the CSRF token: cookie and form agree, which is all that it proves
KEY = re.compile(r'name="key" value="([^"]+)"')
RELEASE = re.compile(r'data-release="([^"]*)"')
TITLES = re.compile(r'id="title-(\d+)"[^>]*>(?:<span[^>]*>)?(Tower \d+)')
PATIENCE = 90.0  # seconds for one request, retries included


class GaveUp(Exception):
    """The server did not answer a request within the patience."""


class Annotator:
    """One person: takes assignments of a batch and answers them until nothing is left."""

    def __init__(self, plan: dict[str, Any], session: str, out: Log) -> None:
        self._port, self._batch, self._out = plan["port"], plan["batch"], out
        self._end = time.monotonic() + plan.get("seconds", 1e6)
        self._pause = plan.get("pause", 0)  # seconds that each item takes
        self._cookie = f"sessionid={session}; csrftoken={TOKEN}"
        self._connection: HTTPConnection | None = None
        self.last: tuple[str, dict[str, Any]] | None = None

    def work(self) -> None:
        status, place, _ = self.send("POST", f"/work/batches/{self._batch}/start/", {})
        page = ""
        while place.startswith("/assignments/") and time.monotonic() < self._end:
            if not page:
                _, _, page = self.send("GET", place)
                self._release = RELEASE.findall(page)[0]
            fields = self.answer(page)
            time.sleep(self._pause)  # a person takes their time
            self.last = (f"{place}submit/", fields)
            status, after, page = self.send("POST", f"{place}submit/", fields, release=self._release)
            if status == 200:
                sent = {"assignment": place.split("/")[2], "key": fields["key"], "text": fields["text"]}
                self._out.write(sent | {"at": time.monotonic()})
            elif status == 409:
                self._out.write({"conflict": place})
                status, after, page = self.send("POST", f"/work/batches/{self._batch}/start/", {})
            else:
                self._out.write({"unexpected": status, "page": page[:500]})
            place = after

    def answer(self, page: str) -> dict[str, Any]:
        shown, title = TITLES.findall(page)[0]
        return {"key": KEY.findall(page)[0], "kind": "text", "text": title, "support": shown, "active_seconds": "1"}

    def send_again(self) -> int:
        """Send the last form once more, as a double click would; the status tells whether it was taken as one."""
        if self.last is None:
            return 303
        return self.send("POST", *self.last)[0]

    def send(
        self,
        method: str,
        path: str,
        fields: dict[str, Any] | None = None,
        *,
        release: str | None = None,
        shown: str = "",
        prefetch: str | None = None,
    ) -> tuple[int, str, str]:
        """(status, where it leads, body); tries again while the server is away or says 5xx.

        `release` is the page's, to get the next item itself; `shown` the assignment that it shows already, if any;
        `prefetch`: the assignment that it has for afterwards, "" if it wants one.
        """
        headers = {"X-Release": release, "X-Next": shown or None, "X-Prefetch": prefetch}
        more = {name: value for name, value in headers.items() if value is not None}
        body = None if fields is None else urlencode({**fields, "csrfmiddlewaretoken": TOKEN})
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                reply, text = self._once(method, path, body, more)
                if reply.status < 500 and reply.getheader("Content-Type") == "application/json":
                    return reply.status, json.loads(text).get("next", ""), ""
                if reply.status < 500:
                    return reply.status, reply.getheader("Location") or reply.getheader("X-Item") or "", text
                self._out.count("refused")
            except (OSError, HTTPException):
                self._out.count("broken")
                self._connection = None
            time.sleep(0.1)  # the server is away: as the page does, later again
        raise GaveUp(f"{method} {path}")

    def _once(self, method: str, path: str, body: str | None, more: dict[str, str]) -> tuple[HTTPResponse, str]:
        if self._connection is None:
            self._connection = HTTPConnection("127.0.0.1", self._port, timeout=30)
        form = "application/x-www-form-urlencoded"
        headers = {"Cookie": self._cookie, "Content-Type": form, "Accept-Encoding": "gzip"} | more
        self._connection.request(method, path, body, headers)
        reply = self._connection.getresponse()
        text = reply.read()
        return reply, (gzip.decompress(text) if reply.getheader("Content-Encoding") == "gzip" else text).decode()


class Log:
    """Lines that survive whatever happens next."""

    def __init__(self, path: Path) -> None:
        self._file, self._lock = path.open("a"), threading.Lock()
        self.counts: dict[str, int] = {}

    def write(self, line: dict[str, Any]) -> None:
        with self._lock:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()

    def count(self, what: str) -> None:
        with self._lock:
            self.counts[what] = self.counts.get(what, 0) + 1


def main(plan: dict[str, Any], out: Path, person: type[Annotator] = Annotator) -> int:
    """Let one thread a session work, until nothing is left or the plan's seconds are over."""
    log = Log(out)
    people = [person(plan, session, log) for session in plan["sessions"]]
    failures: list[BaseException] = []
    threading.excepthook = lambda result: failures.append(result.exc_value or RuntimeError("thread died"))
    threads = [threading.Thread(target=one.work) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.write({"counts": log.counts, "again": [one.send_again() for one in people]})
    for failure in failures:
        log.write({"failure": repr(failure)})
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])))
