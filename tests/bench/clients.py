"""The floor's annotators: `python -m tests.bench.clients PLAN OUT`. They send what real ones send, elsewhere."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from tests.bench.drafts import QUICK, before_response
from tests.process.annotators import Annotator, Log, main


class OnTheFloor(Annotator):
    def __init__(self, plan: dict[str, Any], session: str, out: Log) -> None:
        super().__init__(plan, session, out)
        self._pace = plan["pace"]

    def work(self) -> None:
        place, chance = f"/floor/{hash(self._cookie) % 5_000 + 1}/", Random(self._cookie)
        fields = {"key": "0.a", "kind": "text", "text": "Tower 1", "support": "1", "active_seconds": "1"}
        while time.monotonic() < self._end:
            for _draft in before_response(self._pace, chance, held=self._pace < QUICK):
                self.send("POST", f"{place}draft/", fields | {"version": "0"})
            status, _, page = self.send("POST", place, fields)
            if status != 200:
                self._out.write({"unexpected": status})
                return
            fields = self.answer(page)
            self._out.write({"key": fields["key"], "at": time.monotonic()})


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), OnTheFloor))
