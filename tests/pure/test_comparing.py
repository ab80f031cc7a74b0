"""What differs between two measured things: paired where it can be, said to be unpaired where not."""

from __future__ import annotations

import pytest

from annotation.pure.comparing import Measured, difference
from annotation.pure.comparison_tables import answerer_tables, batch_tables, chart_of, dataset_tables


def test_the_same_items_are_paired_so_that_their_hardness_weighs_on_neither_side() -> None:
    hard = {k: (k % 10) / 10 for k in range(40)}
    found = difference({k: v + (0.1 if k % 2 else 0.05) for k, v in hard.items()}, hard, 1)
    assert found is not None
    assert found.paired
    assert found.figure.value == pytest.approx(0.075)
    assert found.figure.low is not None
    assert found.figure.low > 0.06
    assert found.figure.n == 40


def test_different_items_are_compared_without_pairs_and_wider() -> None:
    hard = {k: (k % 10) / 10 for k in range(40)}
    found = difference({f"x{k}": value + 0.075 for k, value in hard.items()}, hard, 1)
    assert found is not None
    assert not found.paired
    assert found.figure.value == pytest.approx(0.075)
    assert found.figure.low is not None
    assert found.figure.low < 0 < found.figure.high
    assert difference({}, hard, 1) is None


def test_tables_say_how_each_difference_came_and_name_no_difference_of_one() -> None:
    first = Measured("a", "First", dict.fromkeys(range(8), 0.9) | {9: 0.5}, {}, answers=9, seconds=30.25)
    other = Measured("b", "Other", dict.fromkeys(range(8), 0.4), {}, answers=8)
    tables = {table["name"]: table for table in batch_tables([first, other])}
    assert tables["differences"]["rows"][0][5]["text"] == "paired"
    assert tables["differences"]["rows"][0][3]["value"] == pytest.approx(0.5)
    assert [table["name"] for table in answerer_tables([first])] == ["answerers"]
    chart = chart_of([first, other], "Compared", str)
    assert chart is not None
    assert "First 85.6" in chart.told()
    assert chart_of([Measured("c", "Empty")], "Compared", str) is None


def test_datasets_stand_side_by_side_with_nothing_left_open() -> None:
    facts = [
        {"name": "a", "items": 3, "hops": {2: 2, 3: 1}, "shapes": {"": 3}, "answerable": 3, "unanswerable": 0,
         "licence": "CC0"},
        {"name": "b", "items": 1, "hops": {2: 1}, "shapes": {"2hop": 1}, "answerable": 1, "unanswerable": 0,
         "licence": ""},
    ]  # fmt: skip
    rows = dataset_tables(facts)[0]["rows"]
    assert [row[1:] for row in rows] == [[3, 1], [3, 1], [0, 0], [2, 1], [1, 0], [0, 1], ["CC0", None]]
