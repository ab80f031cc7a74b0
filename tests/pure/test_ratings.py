"""Ratings: what they add up to, their shares over elements and items, workers' bias and spread."""

from __future__ import annotations

import random
from statistics import fmean, pstdev

import numpy as np
import pytest
from scipy import stats

from annotation.pure.statistics.intervals import Figure, values_only, wilson
from annotation.pure.statistics.ratings import Rating, aggregated, leanings, rating_shares, rescaled, shares, units_of
from annotation.pure.statistics.resampled_figures import resampled_figures
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Unit, spread
from tests.bench import coverage_ratings

near = pytest.approx


@pytest.mark.parametrize(
    ("kind", "values", "value"),
    [
        ("scale", [1, 2, 2], 2),
        ("scale", [4, 1], 2.5),
        ("scale", [4, 2, 1, 4], 3),
        ("number", [0.5, 7, 1.25], 1.25),
        ("choice", ["yes", "no", "yes"], "yes"),
        ("choice", ["yes", "no"], None),
        ("best", ["a", "tie", "tie"], "tie"),
        ("choices", [frozenset("xy"), frozenset("x"), frozenset("xz")], frozenset("x")),
        ("mark", [frozenset({3, 4}), frozenset({4, 5})], frozenset({4})),
        ("mark", [frozenset(), frozenset(), frozenset({1})], frozenset()),
        ("order", ["abc", "bac", "abc"], tuple("abc")),
        ("order", [("a", "b"), ("b", "a")], None),
        ("order", [("b", "a"), ("b", "a"), ("a", "b")], ("b", "a")),
        ("scale", [], None),
    ],
)
def test_what_ratings_add_up_to(kind, values, value):
    assert aggregated(kind, values) == value


def test_the_median_of_whole_points_is_a_whole_point():
    assert type(aggregated("scale", [1, 3])) is int
    assert type(aggregated("scale", [1, 2])) is float


def test_units_are_elements_and_belong_to_items():
    rows = [Rating("i", "a", 1, 0), Rating("i", "b", 2, 0), Rating("i", "a", 3, 1), Rating("k", "a", 4, 0)]
    assert units_of(rows) == ([{"a": 1, "b": 2}, {"a": 3}, {"a": 4}], ["i", "i", "k"])


def test_a_figure_can_be_brought_back_to_its_scale():
    assert rescaled(Figure(0.5, 0.25, None, 9, "bca"), 1, 5) == Figure(3, 2, None, 9, "bca")


def study(rng: random.Random, items: int, workers: int) -> list[Rating]:
    """Labels of one to five elements an item, by three workers each."""
    return [
        Rating(item, f"w{worker}", rng.choice("xxxyz"), element)
        for item in range(items)
        for size in [rng.randint(1, 5)]
        for worker in rng.sample(range(workers), 3)
        for element in range(size)
    ]


def test_the_share_of_elements_is_a_ratio_of_sums_and_beside_it_stands_the_mean_over_items():
    ratings = study(random.Random(1), 50, 9)
    found = dict(zip("xyz", rating_shares(ratings, lambda label: [label == each for each in "xyz"], 1), strict=True))
    items = sorted({row.item for row in ratings})
    for label, share in found.items():
        assert share.of_elements.figure.value == near(fmean(row.value == label for row in ratings))
        by_item = [fmean(row.value == label for row in ratings if row.item == item) for item in items]
        assert share.of_items.figure.value == near(fmean(by_item))
        assert (share.items, share.workers, share.responses) == (50, 9, len(ratings))
        for figure, variation in (share.of_elements, share.of_items):
            assert variation.value == near(figure.value)
            assert figure.low < figure.value < figure.high
            assert (figure.n, figure.method, variation.n, variation.degrees) == (50, "bca", 50, 8)
            assert variation.figure().low < figure.value < variation.figure().high


def test_the_spread_of_a_ratio_of_sums_has_the_variances_over_items_and_workers():
    """With a worker's parts left out of the items' values, as `worker_intervals.spread` takes them."""
    ratings = study(random.Random(2), 300, 40)
    [share] = rating_shares(ratings, lambda label: [label == "x"], 1)
    value, n = share.of_elements.figure.value, len(ratings)
    scale, units = 300 / n, []
    for item in range(300):
        own = [row for row in ratings if row.item == item]
        off = {w: sum((row.value == "x") - value for row in own if row.worker == w) for w in {r.worker for r in own}}
        whole = value + scale * sum(off.values())
        units.append(Unit(whole, {worker: whole - scale * part for worker, part in off.items()}))
    expected = spread(units)
    assert share.of_elements.spread.error == near(expected.error, rel=0.02), "one takes a jackknife of workers"
    assert (share.of_elements.spread.degrees, share.of_elements.spread.n) == (expected.degrees, expected.n)


def test_workers_alone_vary_as_in_a_t_interval():
    own = [0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]
    rows = [(item, f"w{k}", [value], [1.0]) for k, value in enumerate(own) for item in range(40)]
    found = shares(rows, 1)[0].of_items.spread.figure()
    half = stats.t.ppf(0.975, 6) * np.std(own, ddof=1) / np.sqrt(7)
    assert (found.low, found.high) == (near(0.5 - half), near(0.5 + half))


def test_fewer_than_seven_workers_have_an_interval_over_items_alone():
    [share] = rating_shares(study(random.Random(3), 30, LEAST_WORKERS - 1), lambda label: [label == "x"], 1)
    assert share.of_elements.figure.low is not None
    assert share.of_elements.spread.error is None
    assert share.of_elements.spread.figure().low is None


def test_where_all_are_equal_intervals_are_wilson_s_and_about_items():
    ratings = [Rating(item, f"w{(item + k) % 9}", "x", e) for item in range(20) for k in range(3) for e in range(4)]
    all_x, no_y = rating_shares(ratings, lambda label: [label == "x", label == "y"], 1)
    for estimate in (all_x.of_elements, all_x.of_items):
        assert estimate.figure == wilson(20, 20)
        assert estimate.spread.figure().as_json() == {**wilson(20, 20).as_json(), "items_only": True}
    assert no_y.of_elements.figure.high == wilson(0, 20).high


def test_figures_count_only_those_who_were_asked():
    rows = [("i", "a", [1.0, 0.0], [1.0, 0.0]), ("k", "b", [0.0, 1.0], [1.0, 1.0]), ("k", "c", [1, 0], [1, 1])]
    first, second = shares(rows, 1)
    assert (first.of_elements.figure.value, first.items, first.workers, first.responses) == (near(2 / 3), 2, 3, 3)
    assert (second.of_items.figure.value, second.items, second.workers, second.responses) == (0.5, 1, 2, 2)
    nobody = shares([("i", "a", [0.0], [0.0])], 1)[0]
    assert (nobody.of_elements.figure.value, nobody.of_elements.spread, nobody.items) == (None, None, 0)
    assert shares([], 1) == []


def test_within_values_only_nothing_is_resampled():
    with values_only():
        [share] = rating_shares(study(random.Random(4), 30, 9), lambda label: [label == "x"], 1)
    assert share.of_elements.figure.value is not None
    assert share.of_elements.figure.low is None


def test_a_bootstrap_draws_equal_items_together_and_gives_the_interval_of_items_drawn_one_by_one():
    rng = np.random.default_rng(5)
    right = rng.binomial(3, 0.7, 400)
    table = np.column_stack([right, np.full(400, 3)])
    [together] = resampled_figures(table, lambda sums: sums[:, :1] / sums[:, 1:], 1, resamples=4000).figures
    apart = table + rng.normal(0, 1e-9, table.shape)
    [single] = resampled_figures(apart, lambda sums: sums[:, :1] / sums[:, 1:], 2, resamples=4000).figures
    assert (together.low, together.high) == (near(single.low, abs=0.004), near(single.high, abs=0.004))


def test_an_interval_that_would_not_contain_its_value_is_not_given():
    def biased(sums: np.ndarray) -> np.ndarray:
        return sums[:, :1] / sums[:, 1:]

    parts = [[k % 3, 1.0] for k in range(30)]
    moved = resampled_figures(parts, biased, 1, drawn=lambda sums: biased(sums) + 9).figures[0]
    assert (moved.value, moved.low, moved.high) == (near(1), None, None)


def test_a_worker_s_bias_and_spread_are_beside_the_others_on_the_same_items():
    rng, units, items = random.Random(6), [], []
    for item in range(60):
        for _element in range(2):
            truth = rng.gauss(3, 1)
            units.append({"a": truth + 0.5, "b": truth + rng.gauss(0, 0.1), "c": 3 + (truth - 3) / 2})
            items.append(item)
    units.append({"a": 100.0})
    items.append(99)
    found = leanings(units, items)
    shared = units[:-1]
    differences = [unit["a"] - (unit["b"] + unit["c"]) / 2 for unit in shared]
    bias = found["a"].bias
    assert (bias.value, bias.n) == (near(fmean(differences)), 120)
    by_item = [fmean(differences[2 * k : 2 * k + 2]) for k in range(60)]
    half = stats.t.ppf(0.975, 59) * np.std(by_item, ddof=1) / np.sqrt(60)
    assert (bias.low, bias.high) == (near(bias.value - half), near(bias.value + half))
    theirs = pstdev([unit[w] for unit in shared for w in "ab"])
    assert found["c"].spread == near(pstdev([unit["c"] for unit in shared]) / theirs)
    assert found["c"].spread < 0.6


def test_a_bias_needs_others_and_its_interval_two_items():
    assert leanings([{"a": 1}, {"b": 2}]) == {}
    one = leanings([{"a": 1, "b": 2}])["a"]
    assert (one.bias, one.spread) == (Figure(-1, None, None, 1), None)
    alike = leanings([{"a": 1, "b": 2}, {"a": 2, "b": 3}])["a"].bias
    assert (alike.value, alike.low) == (-1, None)


def test_intervals_of_shares_of_elements_cover_the_truth():
    found = coverage_ratings.coverage_of_ratings(coverage_ratings.shares_of_elements, items=60, workers=7, draws=40)
    assert all(fmean(held) >= 0.85 for held in found.values())
