"""What an item's requests pass through, each middleware alone: `python -m tests.bench.requests PLAN` prints JSON.

A worker's requests are handed to Django itself, with a clock between each two middlewares.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from statistics import quantiles
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402

from tests.bench.pages import OnThePage  # noqa: E402
from tests.process.annotators import Log  # noqa: E402

CLOCK = f"{__name__}.clock"
SECONDS = 20
passed: list[float] = []  # seconds within each clock of a request, the innermost first


def clock(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """A middleware that notes how long what is inside it takes."""

    def timed(request: HttpRequest) -> HttpResponse:
        began = time.thread_time()
        response = get_response(request)
        passed.append(time.thread_time() - began)
        return response

    return timed


class Inside(OnThePage):
    """Sends nothing: Django answers in this process."""

    def __init__(self, plan: dict[str, Any], handler: WSGIHandler) -> None:
        super().__init__(plan | {"seconds": SECONDS}, plan["sessions"][0], Log(Path(os.devnull)))
        self._handler, self.spent = handler, defaultdict[str, list[list[float]]](list)

    def _once(self, method: str, path: str, body: str | None, more: dict[str, str]) -> tuple[Any, str]:
        sent = (body or "").encode()
        headers = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in more.items()}
        headers |= {"HTTP_HOST": "127.0.0.1", "HTTP_COOKIE": self._cookie, "HTTP_ACCEPT_ENCODING": "gzip"}
        headers |= {"CONTENT_TYPE": "application/x-www-form-urlencoded", "CONTENT_LENGTH": str(len(sent))}
        there = {"REQUEST_METHOD": method, "PATH_INFO": path, "SERVER_NAME": "", "SERVER_PORT": "80"}
        passed.clear()
        reply: Any = self._handler({**there, **headers, "wsgi.input": BytesIO(sent), "wsgi.url_scheme": "http"}, _start)
        self.spent[path.split("/")[-2]].append(passed[::-1])
        reply.close()
        reply.status, reply.getheader, content = reply.status_code, reply.get, reply.content
        self._shown = "X-Shown" in reply
        return reply, (gzip.decompress(content) if reply.get("Content-Encoding") == "gzip" else content).decode()


def _start(*_response: object) -> None:
    """What a server calls `start_response`."""


def main(plan: dict[str, Any]) -> int:
    named = list(settings.MIDDLEWARE)
    settings.MIDDLEWARE = [CLOCK, *(each for name in named for each in (CLOCK, name)), CLOCK]
    person = Inside(plan, WSGIHandler())
    person.work()
    for kind in ("draft", "submit"):
        rows = person.spent[kind][5:]
        empty, *own = (_usual([row[k] - row[k + 1] for row in rows]) for k in range(len(rows[0]) - 1))
        found = {name: each - empty for name, each in zip(named, own, strict=True)}
        print(json.dumps({"request": kind} | {name: round(1e6 * seconds) for name, seconds in found.items()}))
    return 0


def _usual(values: list[float]) -> float:
    """The fastest tenth: what others do on the machine only adds to it."""
    return quantiles(values, n=10)[0]


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
