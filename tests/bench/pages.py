"""Annotators who send what the page's scripts send: `python -m tests.bench.pages PLAN OUT`.

The response is submitted while the next item is shown already. Where items are quick its reply brings the one after
that; elsewhere, and for the first item, a draft does. Nobody pauses, and by the times that the server sees all are
quick, so slow people do not ask for it with the response.
"""

from __future__ import annotations

import json
import sys
import time
from http.client import HTTPResponse
from pathlib import Path
from random import Random
from typing import Any

from tests.bench.drafts import QUICK, before_response
from tests.process.annotators import RELEASE, Annotator, Log, main


class OnThePage(Annotator):
    def __init__(self, plan: dict[str, Any], session: str, out: Log) -> None:
        super().__init__(plan, session, out)
        self._pace, self._chance = plan.get("pace", 30), Random(session)
        self._ahead, self._following, self._shown = "", "", False  # the item that is held, its page

    def work(self) -> None:
        _, place, _ = self.send("POST", f"/work/batches/{self._batch}/start/", {})
        page = ""
        while place.startswith("/assignments/") and time.monotonic() < self._end:
            if not page:
                _, _, page = self.send("GET", place)
                self._release = RELEASE.findall(page)[0]
            fields = self.answer(page)
            self._save(place, fields)
            more = "" if self._pace < QUICK else None
            known = {"release": self._release, "shown": self._id, "prefetch": more}
            status, after, reply = self.send("POST", f"{place}submit/", fields, **known)
            if status not in {200, 204}:
                self._out.write({"unexpected": status, "page": reply[:500]})
                return
            self._out.write({"key": fields["key"], "at": time.monotonic()})
            if self._shown:
                place, page, self._ahead, self._following = self._ahead, self._following, after, reply
            else:
                place, page, self._ahead, self._following = after, reply, "", ""

    @property
    def _id(self) -> str:
        return self._ahead.split("/")[2] if self._ahead else ""

    def _save(self, place: str, fields: dict[str, Any]) -> None:
        """Send what comes before the response."""
        version = 0
        for what in before_response(self._pace, self._chance, held=bool(self._ahead)):
            held = "" if what == "prefetch" else self._id or None
            if what == "renew":
                reply = self.send("POST", f"{place}next/", {}, release=self._release, prefetch=held)
            else:
                draft = fields | {"version": str(version)}
                reply = self.send("POST", f"{place}draft/", draft, release=self._release, prefetch=held)
                version += 1
            if reply[1]:
                _, self._ahead, self._following = reply

    def _once(self, method: str, path: str, body: str | None, more: dict[str, str]) -> tuple[HTTPResponse, str]:
        reply, text = super()._once(method, path, body, more)
        self._shown = reply.getheader("X-Shown") is not None
        return reply, text


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), OnThePage))
