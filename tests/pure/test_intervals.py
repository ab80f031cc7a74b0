"""Means with n and interval: known values, corners, columns with gaps, and coverage in a simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from annotation.pure.statistics import intervals
from annotation.pure.statistics.intervals import (
    Figure,
    bias_corrected,
    bootstrap_figure,
    bootstrap_figures,
    method_label,
    wilson,
)

near = pytest.approx


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(95, 125, 0.678, 0.826), (45, 50, 0.786, 0.957), (2, 115, 0.0048, 0.0612), (14, 20, 0.481, 0.855)],
)
def test_wilson_gives_the_known_intervals(successes, n, low, high):
    figure = wilson(successes, n)
    assert (figure.value, figure.n) == (successes / n, n)
    assert (figure.low, figure.high) == (near(low, abs=6e-4), near(high, abs=6e-4))


def test_wilson_stays_within_zero_and_one():
    assert wilson(0, 9).low == 0.0
    assert wilson(9, 9).high == 1.0
    assert wilson(0, 0) == Figure(None, None, None, 0)


def test_a_column_of_zeros_or_ones_has_wilsons_interval():
    figures = bootstrap_figures([[1.0, 0.0]] * 10, 1)
    assert figures == [wilson(10, 10), wilson(0, 10)]


def test_a_column_of_equal_values_has_no_interval():
    assert bootstrap_figures([[0.5]] * 4, 1) == [Figure(0.5, None, None, 4)]


def test_a_single_item_and_no_item_are_figures_too():
    assert bootstrap_figure([0.8], 1) == Figure(0.8, None, None, 1)
    assert bootstrap_figure([1.0], 1) == wilson(1, 1)
    assert bootstrap_figure([None, None], 1) == Figure(None, None, None, 0)
    assert bootstrap_figure([], 1) == Figure(None, None, None, 0)


def test_what_is_missing_is_left_out_of_its_column_only():
    nan = math.nan
    full, holed = bootstrap_figures([[0.1, 0.1], [0.9, nan], [0.4, 0.4], [0.3, nan], [0.8, 0.8]], 3)
    assert (full.value, full.n) == (near(0.5), 5)
    assert (holed.value, holed.n) == (near(1.3 / 3), 3)
    assert holed.low < holed.value < holed.high
    assert bootstrap_figures([[0.1], [0.9], [0.4], [0.3], [0.8]], 3)[0] == full


def test_the_same_seed_gives_the_same_figures_and_another_seed_nearly():
    values = np.random.default_rng(0).random((60, 3))
    first, again, other = (bootstrap_figures(values, seed) for seed in (7, 7, 8))
    assert first == again != other
    assert [f.low for f in first] == near([f.low for f in other], abs=0.01)


def test_many_items_are_resampled_in_pieces_with_the_same_result_on_average():
    values = np.random.default_rng(4).normal(0.5, 0.1, size=(20_000, 1))
    figure = bootstrap_figures(values, 1, resamples=999)[0]
    assert figure.high - figure.low == near(2 * 1.96 * 0.1 / math.sqrt(20_000), rel=0.1)


def test_it_equals_an_independent_bca_bootstrap():
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    values = np.where(rng.random(125) < 0.72, 1.0, np.where(rng.random(125) < 0.43, 0.0, rng.beta(3, 2, 125)))
    figure = bootstrap_figures(values[:, None], 1)[0]
    theirs = scipy_stats.bootstrap((values,), np.mean, n_resamples=9999, method="BCa", rng=rng)
    assert (figure.low, figure.high) == near(tuple(theirs.confidence_interval), abs=0.006)
    assert figure.method == "bca"


def test_a_skewed_column_is_corrected_towards_its_tail():
    figure = bootstrap_figure([1.0] * 2 + [0.0] * 98, 1)
    assert figure.low >= 0
    assert figure.high - figure.value > figure.value - figure.low


def test_it_refuses_a_table_of_another_shape():
    with pytest.raises(ValueError, match="items by figures"):
        bootstrap_figures([1.0, 2.0], 1)


def test_a_figure_is_four_numbers_in_json():
    assert wilson(1, 2).as_json() == {
        "value": 0.5,
        "low": near(0.0945, abs=1e-4),
        "high": near(0.9055, abs=1e-4),
        "n": 2,
    }
    assert "9999 resamples, seed 5" in method_label(5)


@pytest.mark.soak
def test_the_intervals_cover_the_true_mean_as_often_as_they_say():
    rng = np.random.default_rng(11)
    covered, trials = 0, 1500
    for trial in range(trials):
        kind = rng.random((125, 1))
        values = np.where(kind < 0.72, 1.0, np.where(kind < 0.84, 0.0, rng.beta(3, 2, (125, 1))))
        figure = bootstrap_figures(values, trial, resamples=1999)[0]
        covered += figure.low <= 0.72 + 0.16 * 0.6 <= figure.high
    assert 0.93 <= covered / trials <= 0.97


def test_beyond_the_pole_of_the_formula_the_outermost_value_stands():
    drawn = np.linspace(1, 2, 1_000_000)
    low, high = bias_corrected(drawn, 0.0, np.array([-1.0]))
    assert (low, high) == (1.0, pytest.approx(1.0, abs=1e-3))
    low, high = bias_corrected(drawn, 3.0, np.array([1.0]))
    assert (low, high) == (pytest.approx(2.0, abs=1e-3), 2.0)


def test_many_rows_of_few_kinds_are_drawn_together_with_the_same_distribution(monkeypatch):
    grades = np.random.default_rng(5).integers(0, 11, 20_000) / 10
    one_by_one = intervals_with(grades, monkeypatch, many=len(grades) + 1)
    monkeypatch.setattr(intervals, "_draw_counts", None)  # would be called to draw row by row
    together = intervals_with(grades, monkeypatch, many=10_000)
    assert together.value == one_by_one.value
    width = one_by_one.high - one_by_one.low
    assert together.low == pytest.approx(one_by_one.low, abs=width / 20)
    assert together.high == pytest.approx(one_by_one.high, abs=width / 20)


def intervals_with(values, monkeypatch, *, many):
    monkeypatch.setattr(intervals, "MANY", many)
    return intervals.bootstrap_figure(list(values), 3, resamples=2_000)
