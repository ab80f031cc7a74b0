"""Alpha of numbers, scales, sets and marked words, and weighted kappa, beside other implementations of them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from annotation.pure.statistics.distance_agreement import alpha, alpha_of_sets
from annotation.pure.statistics.intervals import values_only
from annotation.pure.statistics.ordered_agreement import MarkedUnit, alpha_of_numbers, alpha_of_words, weighted_kappa
from annotation.pure.statistics.ratings import Rating, pair_agreement, units_of
from tests.bench import coverage_ratings
from tests.shared_data import shared_data

near = pytest.approx
SEATS = "abcde"


def random_units(rng: random.Random, values: list[float]) -> list[dict[str, float]]:
    """Units of five seats with gaps, in which workers agree more or less."""
    gap, careless = rng.choice([0, 0.2, 0.6]), rng.random()
    right = [rng.choice(values) for _unit in range(rng.randint(2, 25))]
    return [
        {seat: rng.choice(values) if rng.random() < careless else each for seat in SEATS if rng.random() >= gap}
        for each in right
    ]


def theirs(units: Iterable[Mapping[str, float]], level: str) -> float | None:
    """Alpha as the package `krippendorff` has it; None where only one value can be compared."""
    paired = [unit for unit in units if len(unit) > 1]
    if len({value for unit in paired for value in unit.values()}) < 2:
        return None
    grid = np.array([[unit.get(seat, np.nan) for unit in paired] for seat in sorted({s for u in paired for s in u})])
    return float(krippendorff.alpha(reliability_data=grid, level_of_measurement=level))


@pytest.mark.parametrize(
    ("level", "values"),
    [
        ("ordinal", [1, 2, 3, 4, 5]),
        ("ordinal", list(range(40))),
        ("ordinal", [0, 1]),
        ("interval", [-3.5, 0, 0.25, 1e3, 1e3 + 1]),
        ("interval", [1e6 + k / 7 for k in range(300)]),
    ],
)
def test_alpha_of_numbers_is_that_of_another_implementation_and_so_is_each_without_one_worker(level, values):
    rng, compared = random.Random(4), 0
    while compared < 60:
        units = random_units(rng, values)
        with values_only():
            ours = alpha_of_numbers(units, 1, ordinal=level == "ordinal")
        expected = theirs(units, level)
        if expected is None:
            assert ours.figure.value is None
            continue
        compared += 1
        assert ours.figure.value == near(expected, abs=1e-9)
        taking = sorted({seat for unit in units if len(unit) > 1 for seat in unit})
        rest = [[{w: v for w, v in unit.items() if w != seat} for unit in units] for seat in taking]
        ends = [end for each in rest if (end := theirs(each, level)) is not None]
        if ends:
            assert ours.without.low == near(min(*ends, expected), abs=1e-9)
            assert ours.without.high == near(max(*ends, expected), abs=1e-9)


def test_nothing_to_compare_has_no_alpha():
    for units in ([], [{}], [{"a": 1}, {"b": 2}], [{"a": 1e6 + 0.1, "b": 1e6 + 0.1}, {"a": 1e6 + 0.1, "c": 1e6 + 0.1}]):
        for ordinal in (True, False):
            assert alpha_of_numbers(units, 1, ordinal=ordinal).figure.value is None
    assert alpha_of_words([MarkedUnit(1, 0, {"a": frozenset(), "b": frozenset()})], 1).figure.value is None
    assert alpha_of_words([MarkedUnit(1, 9, {"a": frozenset(), "b": frozenset()})], 1).figure.value is None


def by_definition(units: Iterable[Mapping[str, Any]], apart) -> float:
    """Alpha from all pairs of values, one after the other."""
    paired = [list(unit.values()) for unit in units if len(unit) > 1]
    every = [value for unit in paired for value in unit]
    observed = sum(sum(apart(a, b) for a in unit for b in unit) / (len(unit) - 1) for unit in paired) / len(every)
    expected = sum(apart(a, b) for a in every for b in every) / (len(every) * (len(every) - 1))
    return 1 - observed / expected


def masi_distance(one: frozenset[str], other: frozenset[str]) -> float:
    if not one | other:
        return 0.0
    relation = 1 if one == other else 2 / 3 if one < other or other < one else 1 / 3 if one & other else 0
    return 1 - relation * len(one & other) / len(one | other)


def test_alpha_of_sets_is_that_of_its_definition():
    rng = random.Random(5)
    sets = [frozenset(each) for each in ("", "x", "y", "xy", "yz", "xyz", "z")]
    for _table in range(40):
        units = [{w: rng.choice(sets) for w in SEATS if rng.random() < 0.6} for _unit in range(12)]
        with values_only():
            assert alpha_of_sets(units, 1).figure.value == near(by_definition(units, masi_distance), abs=1e-9)


def test_alpha_of_sets_resamples_the_items_that_its_units_belong_to():
    rng = random.Random(6)
    units = [{w: frozenset(rng.sample("xyz", 1 + item % 2)) for w in "ab"} for item in range(20) for _step in range(5)]
    items = [item for item in range(20) for _step in range(5)]
    alone, together = alpha_of_sets(units, 1).figure, alpha_of_sets(units, 1, clusters=items).figure
    assert (alone.value, alone.n) == (together.value, together.n)
    assert (alone.low, alone.high) != (together.low, together.high)


def test_alpha_of_words_is_nominal_alpha_with_a_unit_for_each_word():
    rng = random.Random(7)
    for _table in range(60):
        marked = [
            MarkedUnit(
                item // 2,
                words := rng.randint(5, 30),
                {w: frozenset(rng.sample(range(words), rng.randint(0, 4))) for w in SEATS if rng.random() < 0.6},
            )
            for item in range(6)
        ]
        units = [{w: int(k in own) for w, own in unit.marked.items()} for unit in marked for k in range(unit.words)]
        ours, expected = alpha_of_words(marked, 1), theirs(units, "nominal")
        if expected is None:
            assert ours.figure.value is None
            continue
        assert ours.figure.value == near(expected, abs=1e-9)
        assert ours.figure.n == sum(len(unit) > 1 for unit in units)
        known = alpha(units, 1).without
        assert (ours.without.low, ours.without.high) == (near(known.low, abs=1e-9), near(known.high, abs=1e-9))


def test_an_interval_of_an_alpha_contains_it_and_resamples_items():
    rng = random.Random(8)
    ratings = [
        Rating(item, w, min(5, max(1, point + careless * rng.choice([-2, -1, 1, 2]))), element)
        for item in range(40)
        for careless in [rng.random() < 0.5]  # all passages of an item are rated alike well
        for element in range(8)
        for point in [rng.randint(1, 5)]
        for w in "abc"
    ]
    units, items = units_of(ratings)
    alone = alpha_of_numbers(units, 1, ordinal=True).figure
    together = alpha_of_numbers(units, 1, ordinal=True, clusters=items).figure
    assert alone.value == together.value
    assert (together.n, together.method) == (320, "bca")
    assert together.low < together.value < together.high
    assert together.high - together.low > 1.3 * (alone.high - alone.low)


def test_draws_without_variation_are_left_out_and_counted_and_many_of_them_leave_no_interval():
    few = alpha_of_numbers([{"a": 1, "b": 1}] * 40 + [{"a": 1, "b": 2}, {"a": 2, "b": 2}, {"a": 2, "b": 3}], 1)
    assert 0 < few.undefined < 0.06 * 999
    assert few.figure.low is not None
    many = alpha_of_numbers([{"a": 1, "b": 1}] * 40 + [{"a": 1, "b": 2}], 1)
    assert many.undefined > 0.3 * 999
    assert (many.figure.low, many.figure.high) == (None, None)
    nominal = alpha([{"a": 1, "b": 1}] * 40 + [{"a": 1, "b": 2}, {"a": 2, "b": 2}, {"a": 2, "b": 3}], 1)
    assert 0 < nominal.undefined < 0.06 * 999


def test_workers_who_agree_equally_in_all_items_show_no_uncertainty():
    for apart in (0, 1):
        found = alpha_of_numbers([{"a": k, "b": k + apart} for k in range(10)], 1).figure
        assert found.value is not None
        assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize("points", [2, 5, 30])
def test_weighted_kappa_is_that_of_two_other_implementations(points):
    rng = random.Random(9)
    for _table in range(40):
        first = [rng.randrange(points) for _item in range(50)]
        second = [point if rng.random() < 0.6 else rng.randrange(points) for point in first]
        units = [{"a": one, "b": other} for one, other in zip(first, second, strict=True)]
        with values_only():
            ours = weighted_kappa(units, 1)
        table = np.zeros((points, points))
        np.add.at(table, (first, second), 1)
        for figure, word, power in ((ours.quadratic, "quadratic", 2), (ours.linear, "linear", 1)):
            expected = cohen_kappa_score(first, second, labels=range(points), weights=word)
            assert figure.value == near(expected, abs=1e-9)
            weights = np.abs(np.subtract.outer(range(points), range(points))) ** power
            assert figure.value == near(cohens_kappa(table, weights=weights).kappa, abs=1e-9)


def test_weighted_kappa_needs_the_same_two_people_on_every_item():
    assert weighted_kappa([], 1) is None
    assert weighted_kappa([{"a": 1, "b": 2}, {"a": 1}], 1) is None
    assert weighted_kappa([{"a": 1, "b": 2}, {"a": 1, "c": 1}], 1) is None
    assert weighted_kappa([{"a": 1, "b": 2, "c": 2}], 1) is None
    assert weighted_kappa([{"a": 3, "b": 3}, {"b": 3, "a": 3}], 1).quadratic.value is None


def test_weighted_kappa_has_an_interval_over_items():
    rng = random.Random(10)
    units = [{"a": k % 4, "b": k % 4 if rng.random() < 0.7 else rng.randrange(4)} for k in range(120)]
    whole, pairs = weighted_kappa(units, 1), weighted_kappa(units, 1, clusters=[k // 2 for k in range(120)])
    assert whole.quadratic.low < whole.quadratic.value < whole.quadratic.high
    assert (whole.linear.n, pairs.linear.n, pairs.linear.value) == (120, 60, whole.linear.value)


def test_raw_agreement_is_of_pairs_over_elements_with_an_interval_over_items():
    ratings = [Rating("i", w, x, e) for e, xs in enumerate(("xxy", "xx", "y")) for w, x in zip("abc", xs, strict=False)]
    assert pair_agreement(ratings, 1).value == near((1 / 3 + 1) / 2)
    more = pair_agreement([Rating(k, w, (k % 3 > 0) * ord(w)) for k in range(60) for w in "ab"], 1)
    assert (more.value, more.n) == (near(1 / 3), 60)
    assert more.low < 1 / 3 < more.high
    assert pair_agreement([Rating(1, "a", 1), Rating(2, "b", 1)], 1).value is None


@pytest.mark.parametrize("items", [30, 100])
def test_the_interval_of_an_ordinal_alpha_covers_the_truth(items):
    world = coverage_ratings.ordinal_alpha
    found = coverage_ratings.coverage_of_ratings(world, items=items, workers=9, draws=40)
    assert fmean(found["ordinal alpha"]) >= 0.85


@pytest.mark.parametrize(("file", "level"), [("cebab_stars_human", "ordinal"), ("cebab_aspects_human", "nominal")])
def test_the_stars_and_aspects_of_ten_people_have_the_alpha_of_another_implementation(file, level):
    people: dict[str, dict[str, Any]] = json.loads(shared_data(f"judges/{file}.json").read_text())
    ratings = [Rating(item, worker, value) for worker, own in people.items() for item, value in own.items()]
    units, _items = units_of(ratings)
    words = {value: code for code, value in enumerate(sorted({row.value for row in ratings}))}
    coded = [{w: words[value] for w, value in unit.items()} for unit in units]
    found = alpha_of_numbers(units, 1, ordinal=True) if level == "ordinal" else alpha(units, 1)
    assert found.figure.value == near(theirs(coded, level), abs=1e-9)
    assert found.figure.low < found.figure.value < found.figure.high
    assert len(people) == 10
