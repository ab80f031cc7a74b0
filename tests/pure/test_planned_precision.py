"""Intervals that are planned, and how many items a wished one takes."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.statistics.power import UNKNOWN, WORST, Spread, half_width, items_for, observed

halves = st.floats(0.005, 0.5)
spreads = st.builds(Spread, st.floats(0.001, 0.2), st.floats(0, 0.2))
annotators = st.integers(1, 12)


@pytest.mark.parametrize(("half", "items"), [(0.05, 222), (0.03, 617), (0.02, 1387)])
def test_scores_like_those_of_a_human_study_take_so_many_items(half: float, items: int) -> None:
    """F1 with 72 % ones and 12 % zeros: a variance of 0.1444 (quality of a study of 125 items: six points)."""
    assert items_for(half, 1, spread=Spread(0.1444, 0)) == items
    assert half_width(125, 1, spread=Spread(0.1444, 0)) == pytest.approx(0.0666, abs=1e-4)


def test_a_share_that_nothing_is_known_of_is_planned_for_the_worst() -> None:
    assert half_width(125, 1) == pytest.approx(1.96 * math.sqrt(WORST / 125), rel=1e-4)
    assert items_for(0.05, 1) == 385


def test_annotators_shrink_only_what_lies_within_items() -> None:
    many = half_width(100, 1000)
    assert many == pytest.approx(1.96 * math.sqrt(UNKNOWN.between / 100), rel=1e-2)
    assert half_width(100, 5, spread=Spread(0.2, 0)) == half_width(100, 1, spread=Spread(0.2, 0))


@given(halves, annotators, spreads)
def test_the_number_of_items_is_the_fewest_that_will_do(half: float, people: int, spread: Spread) -> None:
    items = items_for(half, people, spread=spread)
    reached = half_width(items, people, spread=spread)
    assert reached is not None
    assert reached <= half * (1 + 1e-9)
    if items > 1:
        before = half_width(items - 1, people, spread=spread)
        assert before is not None
        assert before > half * (1 - 1e-9) or before == 0.5


@given(st.integers(1, 5000), annotators, spreads)
def test_more_items_and_more_annotators_never_make_it_wider(items: int, people: int, spread: Spread) -> None:
    here = half_width(items, people, spread=spread)
    wider = [half_width(items + 1, people, spread=spread), half_width(items, people + 1, spread=spread)]
    assert here is not None
    assert all(other is not None and other <= here + 1e-12 for other in wider)


@given(st.integers(20, 5000), annotators, st.floats(0.01, 0.24))
def test_what_an_earlier_interval_tells_gives_that_interval_back(items: int, people: int, single: float) -> None:
    spread = Spread(single / 2, single / 2)
    half = half_width(items, people, spread=spread)
    assert half is not None
    again = observed(0.5 - half, 0.5 + half, items, annotators=people)
    if half < 0.5:
        assert half_width(items, people, spread=again) == pytest.approx(half)


def test_the_model_foretells_how_means_scatter() -> None:
    rng = Random(5)
    items, people = 40, 3
    means = []
    for _study in range(600):
        levels = [rng.choice([0.2, 0.9]) for _item in range(items)]  # variance between items 0.1225
        means.append(fmean(fmean(rng.random() < level for _one in range(people)) for level in levels))
    within = fmean([0.2 * 0.8, 0.9 * 0.1])
    planned = half_width(items, people, spread=Spread(0.1225, within))
    assert 1.96 * pstdev(means) == pytest.approx(planned, rel=0.1)


@pytest.mark.parametrize("bad", [0, -0.1, 0.51])
def test_a_width_that_no_share_can_have_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="half-width"):
        items_for(bad, 1)


def test_what_tells_of_no_spread_is_refused() -> None:
    assert half_width(0, 1) is None
    for low, high, n, alike in [(0.5, 0.5, 10, 0.5), (0.1, 0.9, 1, 0.5), (0.1, 0.9, 10, 0)]:
        with pytest.raises(ValueError, match="interval"):
            observed(low, high, n, annotators=1, alike=alike)
    with pytest.raises(ValueError, match="negative"):
        Spread(-0.1, 0)
    with pytest.raises(ValueError, match="annotation"):
        half_width(10, 0)


def test_two_items_are_the_least_that_tell_of_a_spread() -> None:
    assert observed(0.4, 0.6, 2, annotators=1).between > 0
