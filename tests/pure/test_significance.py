"""Tests against other implementations and by simulation, and what many of them at once are worth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests

from annotation.pure.statistics.intervals import wilson
from annotation.pure.statistics.significance import (
    Q,
    at_least,
    at_most,
    benjamini_hochberg,
    effect,
    effect_unpaired,
    holm,
    mcnemar,
)

near = pytest.approx


@pytest.mark.soak
def test_adjusted_chances_are_those_of_another_implementation() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        chances = [*(rng.random(rng.integers(1, 25)) ** rng.integers(1, 4)), 0.01, 0.01]
        for ours, method in ((holm, "holm"), (benjamini_hochberg, "fdr_bh")):
            np.testing.assert_allclose(ours(chances), multipletests(chances, method=method)[1], atol=1e-12)
    assert holm([]) == benjamini_hochberg([]) == []


@pytest.mark.parametrize("chance", [0.0, 0.08, 0.5, 0.8, 1.0])
def test_tails_of_counts_are_those_of_another_implementation(chance: float) -> None:
    for n in (0, 1, 7, 40, 900):
        for k in {0, n // 20, n // 2, n}:
            assert at_least(k, n, chance) == near(stats.binom.sf(k - 1, n, chance), abs=1e-10)
            assert at_most(k, n, chance) == near(stats.binom.cdf(k, n, chance), abs=1e-10)


def test_mcnemar_is_exact() -> None:
    for first, second in ((0, 0), (1, 0), (3, 3), (12, 4), (40, 61)):
        theirs = their_mcnemar([[5, first], [second, 5]], exact=True).pvalue if first + second else 1.0
        assert mcnemar(first, second) == near(theirs, abs=1e-12)


def test_an_effect_is_a_difference_in_standard_deviations() -> None:
    assert effect([0.1, 0.3, 0.5]) == near(1.5)
    assert effect([0.2, 0.2]) is None
    assert effect([0.2]) is None
    assert effect_unpaired([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]) == near(-1.0)
    assert effect_unpaired([0.1], [0.2]) is None


@pytest.mark.soak
def test_honest_workers_are_marked_as_seldom_as_said_and_not_as_wilson_s_intervals_would() -> None:
    """Seventeen workers whose bridges break as often as expected: how often is anybody marked?"""
    rng, runs, expected = np.random.default_rng(6), 1_000, 0.08
    by_interval = by_chance = 0
    for _ in range(runs):
        judged = rng.integers(15, 90, size=17)
        ended = rng.binomial(judged, expected)
        by_interval += any((wilson(int(k), int(n)).low or 0) > expected for k, n in zip(ended, judged, strict=True))
        chances = [at_least(int(k), int(n), expected) for k, n in zip(ended, judged, strict=True)]
        by_chance += min(benjamini_hochberg(chances)) <= Q
    assert by_interval / runs > 0.3
    assert by_chance / runs <= 0.05


@pytest.mark.soak
def test_differences_among_equals_are_seldom_called_differences() -> None:
    rng, runs, any_false = np.random.default_rng(7), 40, 0
    for _run in range(runs):
        hard = rng.random((40, 1))
        systems = (rng.random((40, 6)) < hard).astype(float)
        chances = [float(stats.ttest_rel(systems[:, a], systems[:, b]).pvalue) for a in range(6) for b in range(a)]
        any_false += min(holm(chances)) < 0.05
    assert any_false / runs <= 0.1
