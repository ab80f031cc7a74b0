"""20,000 invented questions, eight invented readers of a sample, and an invented judge of all, for the tutorial.

    invented.py questions > FILE
    invented.py readers HITS > FILE     three responses to each HIT of a file from exportAggregates
    invented.py judge > FILE

The passages support 82 % of the answers. A reader errs on 6 % of the questions; the judge misses 5 % of the supported
answers and calls 40 % of the others supported. Every line is the same in every run.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

QUESTIONS, READERS = 20_000, 8


def chance(*about: object) -> float:
    """A number from 0 to 1 that depends on its arguments alone."""
    return Random(" ".join(map(str, about))).random()


def supported(k: int) -> bool:
    return chance("question", k) < 0.82


def said(right: bool) -> dict[str, str]:
    return {"supported": "yes" if right else "no"}


def questions() -> Iterator[dict[str, Any]]:
    for k in range(QUESTIONS):
        built, yard = 1700 + k % 199, f"Yard {k % 97 + 1}"
        ship = f"The ship Tern {k + 1} was built by {yard} and carried {k % 40 + 8} people."
        told = f"{yard} built the Tern {k + 1} in {built if supported(k) else built + 3}. It has two cranes."
        yield {
            "id": f"q{k}",
            "question": f"In which year did its yard build the ship Tern {k + 1}?",
            "answers": [str(built)],
            "paragraphs": [{"title": f"Tern {k + 1}", "text": ship}, {"title": yard, "text": told}],
        }


def readers(file: str) -> Iterator[dict[str, Any]]:
    hits = map(json.loads, Path(file).read_text(encoding="utf-8").splitlines())
    for place, hit in enumerate(hits):
        for reader in ((place + step) % READERS for step in (0, 1, 3)):
            right = supported(hit["item"]) is (chance("reader", reader, hit["item"]) >= 0.06)
            about = {"dataset": hit["dataset"], "item": hit["item"], "worker": f"reader-{reader + 1}"}
            yield about | {"answer": said(right)}


def judge() -> Iterator[dict[str, Any]]:
    for k in range(QUESTIONS):
        right = chance("judge", k) < (0.95 if supported(k) else 0.4)
        yield {"item": k, "answer": said(right), "confidence": round(0.55 + 0.4 * chance("confidence", k), 2)}


if __name__ == "__main__":
    for line in globals()[sys.argv[1]](*sys.argv[2:]):
        sys.stdout.write(json.dumps(line) + "\n")
