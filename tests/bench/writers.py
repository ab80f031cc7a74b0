"""Writers of compositions: `python -m tests.bench.writers PLAN OUT`. Each looks at the checks once a second.

The question grows word by word, as on the page, out of words that the page shows: the hops', and now and then answers.
"""

from __future__ import annotations

import html
import json
import re
import sys
import time
from pathlib import Path
from random import Random
from urllib.parse import urlencode

from tests.process.annotators import Annotator, main

FIRST = 3.0  # seconds that are not counted: caches fill, and the writers spread over the second
MOST_WORDS = 30

_TAG = re.compile(r"<[^>]+>")


class Writer(Annotator):
    def work(self) -> None:
        _, place, _ = self.send("POST", f"/work/batches/{self._batch}/start/", {})
        status, _, page = self.send("GET", place)
        if status != 200:
            self._out.write({"unexpected": status, "at": place})
            return
        rng = Random(self._cookie)
        words = _TAG.sub(" ", html.unescape(page)).split()
        question: list[str] = []
        began = time.monotonic()
        beat = began + rng.random()
        while beat < self._end:
            time.sleep(max(0.0, beat - time.monotonic()))
            question = [*question[-MOST_WORDS:], rng.choice(words)]
            asked = time.perf_counter()
            status, _, found = self.send("GET", f"{place}live/checks/?{urlencode({'q': ' '.join(question) + '?'})}")
            took = 1000 * (time.perf_counter() - asked)
            if status != 200 or not found.strip():
                self._out.write({"unexpected": status})
                return
            if beat - began > FIRST:
                self._out.write({"ms": took})
            beat += 1


if __name__ == "__main__":
    sys.exit(main(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), Writer))
