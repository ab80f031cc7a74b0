"""Annotators who send what the page's scripts send: `python -m tests.bench.pages PLAN OUT`.

For each item a draft is saved, which brings the next one, and the response is submitted while that one is shown.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from tests.process.annotators import RELEASE, Annotator, main


class OnThePage(Annotator):
    def work(self) -> None:
        _, place, _ = self.send("POST", f"/work/batches/{self._batch}/start/", {})
        page = ""
        while place.startswith("/assignments/") and time.monotonic() < self._end:
            if not page:
                _, _, page = self.send("GET", place)
                release = RELEASE.findall(page)[0]
            fields = self.answer(page)
            draft = fields | {"version": "0"}
            _, ahead, following = self.send("POST", f"{place}draft/", draft, release=release, prefetch=True)
            shown = ahead.split("/")[2] if ahead else ""
            status, after, page = self.send("POST", f"{place}submit/", fields, release=release, shown=shown)
            if status not in {200, 204}:
                self._out.write({"unexpected": status, "page": page[:500]})
                return
            self._out.write({"key": fields["key"], "at": time.monotonic()})
            place, page = (ahead, following) if status == 204 else (after, page)


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), OnThePage))
