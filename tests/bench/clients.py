"""The floor's annotators: `python -m tests.bench.clients PLAN OUT`. They send what real ones send, elsewhere."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from tests.process.annotators import Annotator, main


class OnTheFloor(Annotator):
    def work(self) -> None:
        place = f"/floor/{hash(self._cookie) % 5_000 + 1}/"
        while time.monotonic() < self._end:
            _, _, page = self.send("GET", place)
            fields = self.answer(page)
            status, after, _ = self.send("POST", f"{place}submit/", fields)
            if status != 303:
                self._out.write({"unexpected": status})
                return
            self._out.write({"key": fields["key"], "at": time.monotonic()})
            place = after


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), OnTheFloor))
