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
        fields = {"key": "0.a", "kind": "text", "text": "Tower 1", "support": "1", "active_seconds": "1"}
        while time.monotonic() < self._end:
            status, _, page = self.send("POST", place, fields)
            if status != 200:
                self._out.write({"unexpected": status})
                return
            fields = self.answer(page)
            self._out.write({"key": fields["key"], "at": time.monotonic()})


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), OnTheFloor))
