"""CPU of an item that is rated, against tasks that show the same: draft with the next item, then the response."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.bench import records
from tests.bench.bench import Bench, Result

ITEMS, DONE, WARM = 240, 150, 20
SCALES = [{"name": each, "ask": f"How {each}?", "scale": [1, 5], "labels": ["not", "very"]} for each in "abcd"]
CHOICE = {"name": "enough", "ask": "Do the paragraphs suffice?", "choice": ["yes", "no"]}
SHAPES: dict[str, tuple[str, dict[str, Any], bool]] = {  # task, its options, whether of twenty paragraphs or two
    "sufficiency": ("sufficiency", {}, False),
    "one choice": ("rate", {"rubric": {"show": ["question", "paragraphs"], "criteria": [CHOICE]}}, False),
    "answer": ("answer", {}, True),
    "20 passages, 4 criteria": ("rate", {"rubric": {"show": ["question", "paragraphs"], "criteria": SCALES}}, True),
    "4 criteria of each of 20 passages": (
        "rate",
        {"rubric": {"show": ["question"], "criteria": [each | {"each": "paragraphs"} for each in SCALES]}},
        True,
    ),
}
PAIRS = [("one choice", "sufficiency"), ("20 passages, 4 criteria", "answer")]
GOAL = 1.1


def ratings(bench: Bench) -> Iterator[Result]:
    """Items that are rated against tasks that show the same, in one process on SQLite, in turns."""
    file = records.write_twenty_paragraphs(bench.folder / "rated.jsonl", ITEMS)
    with bench.installation("SQLite") as made:
        spent = json.loads(made.run(["-m", "tests.bench.rating_items", str(file)]))
    for shape, seconds in spent.items():
        print(f"       {shape}: {1000 * seconds:.1f} ms of CPU an item")
    for shape, against in PAIRS:
        yield Result(f"CPU of an item, {shape}, against {against}", spent[shape] / spent[against], GOAL)
