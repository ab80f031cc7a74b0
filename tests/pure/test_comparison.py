"""What differs between two measured things: paired where it can be, said to be unpaired where not."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from annotation.pure.reports.comparison import (
    PEOPLE,
    Difference,
    Measured,
    answerer_tables,
    batch_tables,
    chart_of,
    dataset_tables,
    difference,
)
from annotation.pure.reports.tables import cell_text, note_of
from annotation.pure.statistics.significance import chance_text, mover


def measured(name: str, values: dict[Any, float], people: int = 9, who: str = "w") -> Measured:
    """Scores of items, each by three of so many people, who are all right as often as the item's value says."""
    rng = Random(len(name))
    names = [f"{who}{k}" for k in range(people)]
    without = {key: dict.fromkeys(rng.sample(names, 3), value) for key, value in values.items()}
    return Measured(name, name, scores=values, without={"scores": without})


def apart(first: dict[Any, float], second: dict[Any, float], *, who: str = "v", people: int = 9) -> Difference:
    found = difference(
        measured("First", first, people).units("scores"), measured("Second", second, people, who).units("scores")
    )
    assert found is not None
    return found


HARD = {k: (k % 10) / 10 for k in range(40)}


def test_the_same_items_are_paired_so_that_their_hardness_weighs_on_neither_side() -> None:
    found = apart({k: v + (0.1 if k % 2 else 0.05) for k, v in HARD.items()}, HARD)
    assert found.how == "paired"
    assert found.figure.value == pytest.approx(0.075)
    assert found.figure.low is not None
    assert found.figure.low > 0.06
    assert found.figure.n == 40
    assert found.chance is not None
    assert found.chance < 0.001


def test_different_items_of_different_people_are_compared_by_mover_and_wider() -> None:
    first = {f"x{k}": value + 0.075 for k, value in HARD.items()}
    found = apart(first, HARD)
    assert found.how == "not paired"
    known = mover(*(measured(name, side).mean("scores") for name, side in (("First", first), ("Second", HARD))))
    assert (found.figure.value, found.figure.low, found.figure.high) == (
        pytest.approx(0.075), pytest.approx(known.low), pytest.approx(known.high),
    )  # fmt: skip
    assert found.figure.low is not None
    assert found.figure.high is not None
    assert found.figure.low < 0 < found.figure.high
    assert difference({}, measured("Second", HARD).units("scores")) is None


def test_different_items_of_the_same_people_are_one_contrast() -> None:
    found = apart({f"x{k}": value for k, value in HARD.items()}, HARD, who="w")
    assert found.how == "not paired: the same workers on different items"
    assert found.figure.low is not None


@pytest.mark.parametrize("who", ["v", "w"])
def test_fewer_than_seven_people_on_a_side_get_neither_interval_nor_p(who: str) -> None:
    for first in (HARD, {f"x{k}": value for k, value in HARD.items()}):
        found = apart({key: value + 0.1 for key, value in first.items()}, HARD, who=who, people=6)
        assert (found.figure.low, found.figure.high, found.chance) == (None, None, None)
        assert found.figure.value == pytest.approx(0.1)


def test_a_model_is_compared_as_it_is_and_has_its_interval_over_items() -> None:
    people, model = measured("First", HARD), Measured("m", "A model", scores=dict.fromkeys(HARD, 0.3))
    found = difference(people.units("scores"), model.units("scores"))
    assert found is not None
    alone = people.mean("scores")
    assert (found.figure.low, found.figure.high) == (
        pytest.approx((alone.low or 0) - 0.3), pytest.approx((alone.high or 0) - 0.3),
    )  # fmt: skip
    assert Measured("m", "A model", scores=HARD).mean("scores").method == "bca"
    assert alone.method == "workers and items"


def test_tables_say_how_each_difference_came_and_name_no_difference_of_one() -> None:
    first = Measured("a", "First", dict.fromkeys(range(8), 0.9) | {9: 0.5}, {}, answers=9, seconds=30.25)
    other = Measured("b", "Other", dict.fromkeys(range(8), 0.4), {}, answers=8)
    tables = {table["name"]: table for table in batch_tables([first, other])}
    assert tables["differences"]["rows"][0][7]["text"] == "paired"
    assert tables["differences"]["rows"][0][3]["value"] == pytest.approx(0.5)
    assert [table["name"] for table in answerer_tables([first])] == ["answerers"]
    chart = chart_of([first, other], "Compared", str)
    assert chart is not None
    assert "First 85.6" in chart.as_text()
    assert chart_of([Measured("c", "Empty")], "Compared", str) is None


def test_batches_say_what_was_paid_and_earned_and_nothing_where_nobody_was_paid() -> None:
    paid = Measured("a", "Paid", {1: 1.0}, {}, answers=1, paid=Decimal("12.50"), wage=Decimal("9.75"))
    rows = batch_tables([paid, Measured("b", "Unpaid", {1: 1.0}, {}, answers=1)])[0]["rows"]
    assert [row[-2:] for row in rows] == [[12.5, 9.75], [None, None]]


def test_each_difference_has_its_effect_and_a_chance_adjusted_for_all_of_the_table() -> None:
    rng = np.random.default_rng(2)
    scores = [dict(enumerate(rng.normal(mean, 0.2, 60).clip(0, 1))) for mean in (0.6, 0.6, 0.6, 0.52, 0.3)]
    some = [measured(f"S{k}", one) for k, one in enumerate(scores)]
    found = batch_tables(some)[1]
    alone = [difference(some[0].units("scores"), other.units("scores")) for other in some[1:]]
    expected = multipletests([one.chance for one in alone if one], method="holm")[1]
    assert [row[5] for row in found["rows"]] == [chance_text(chance) for chance in expected]
    assert found["rows"][-1][5] == "< 0.001"
    assert [row[4] for row in found["rows"]] == [round(one.effect, 2) for one in alone if one and one.effect]
    note = note_of(found)
    assert "Holm's adjustment for the 4 differences of this table" in note
    assert "over workers and items" in note


@pytest.mark.soak
def test_systems_that_are_alike_are_seldom_called_different() -> None:
    rng, runs = np.random.default_rng(9), 30
    marked = 0
    for _run in range(runs):
        hard = rng.random(40)
        systems = [measured(f"S{k}", dict(enumerate((rng.random(40) < hard).astype(float)))) for k in range(6)]
        rows = batch_tables(systems)[1]["rows"]
        marked += any(float(row[5].removeprefix("< ")) < 0.05 for row in rows)
    assert marked / runs <= 0.1


def test_datasets_stand_side_by_side_with_nothing_left_open() -> None:
    facts = [
        {"name": "a", "items": 3, "hops": {2: 2, 3: 1}, "shapes": {"": 3}, "answerable": 3, "unanswerable": 0,
         "licence": "CC0"},
        {"name": "b", "items": 1, "hops": {2: 1}, "shapes": {"2hop": 1}, "answerable": 1, "unanswerable": 0,
         "licence": ""},
    ]  # fmt: skip
    rows = dataset_tables(facts)[0]["rows"]
    assert [row[1:] for row in rows] == [[3, 1], [3, 1], [0, 0], [2, 1], [1, 0], [0, 1], ["CC0", None]]


def test_people_stand_beside_a_model_on_its_own_items_too() -> None:
    people = Measured(PEOPLE, "", scores={1: 1.0, 2: 1.0, 3: 0.0, 4: 0.0}, answers=8)
    model = Measured("m", "A model", scores={1: 1.0, 3: 1.0}, answers=2)
    rows = answerer_tables([people, model])[0]["rows"]
    result = [(cell_text(row[0]), row[2], row[3]["value"]) for row in rows]
    assert result == [("all workers", 4, 0.5), ("A model", 2, 1.0), ("all workers on the items of A model", 2, 0.5)]
