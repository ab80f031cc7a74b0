"""Pairs of real records: derived, judged by simulated people, reported."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest

from annotation.pure.data.example import Example
from tests.derivations.listed import derived, real
from tests.long_forms import first
from tests.tasks.test_sufficiency import PAIRS, judged, report, tables


def simulated(example: Example, rng: Random) -> str:
    """Three annotators who find what the labels say, but for one slip in twenty."""
    right = "s" if len(example.extra["pair"]["supports"]) == example.extra["pair"]["of"] else "i"
    return "".join(right if rng.random() < 0.95 else "si"[right == "s"] for _ in range(3))


@pytest.mark.parametrize(
    ("format", "name", "others"),
    first(
        1,
        [
            ("hotpotqa", "hotpotqa_dev_distractor_240.json", 8),
            ("2wikimultihopqa", "2wikimultihopqa_dev_150.json", None),
        ],
    ),
)
def test_real_records_can_be_judged_and_reported(format: str, name: str, others: int | None) -> None:
    items, tally = derived(PAIRS, real(format, name))
    rng = Random(5)
    made = report([judged(example, simulated(example, rng), dataset=format) for example in items], others=0)
    (row,) = tables(made)["proxies"]
    assert row[1] == tally.figures["questions"]
    assert row[3] > 0.9 * row[1]
    assert row[5]["value"] < 0.1
    if others:
        most = Counter(example.extra["pair"]["others"] for example in items).most_common(1)[0][0]
        assert most == others
    assert json.dumps(made, allow_nan=False)
