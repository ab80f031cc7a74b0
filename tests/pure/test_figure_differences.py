"""Differences of figures: by hand, by other implementations, and by what they may never say."""

from __future__ import annotations

from random import Random
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from annotation.pure.reports.human_scores import majority_chance
from annotation.pure.statistics.intervals import Figure, wilson
from annotation.pure.statistics.significance import chance, contrast, mover, reported
from annotation.pure.statistics.worker_intervals import Spread, Unit, crossed, label_units, spread

near = pytest.approx


def test_mover_of_two_wilson_intervals_is_newcombes() -> None:
    # Newcombe 1998, Table II, method 10: 56/70 - 48/80 is .2 with the interval .0524 to .3339
    found = mover(wilson(56, 70), wilson(48, 80))
    assert (found.value, found.low, found.high) == near((0.2, 0.0524, 0.3339), abs=2e-4)


def own(value: float, error: float | None, n: int = 125, degrees: int = 14) -> Spread:
    return Spread(value, error, degrees, n)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.995])
@pytest.mark.parametrize("n", [14, 125, 2000])
@pytest.mark.parametrize("value", [0.0, 0.5, 0.78, 1.0])
@pytest.mark.parametrize(
    "ours", [own(0.9, 0.05, 29), own(1.0, 0.0, 29), own(0.9, 0.01, 29), own(0.5, 0.2, 14), own(0.97, 0.03, 500)]
)
def test_a_difference_is_never_narrower_than_ours_alone_nor_beyond_what_shares_can_differ(
    ours: Spread, value: float, n: int, level: float
) -> None:
    figure, theirs = ours.figure(level), reported(value, n, ours, ours.n, level)
    found = mover(figure, theirs)
    assert None not in (found.low, found.high, figure.low, figure.high)
    assert (found.high or 0) - (found.low or 0) >= (figure.high or 0) - (figure.low or 0) - 1e-12
    assert -1 <= (found.low or 0) <= (found.value or 0) <= (found.high or 0) <= 1


def test_theirs_is_stretched_as_ours_is_and_never_shrunk() -> None:
    alone, ours = wilson(0.78 * 125, 125), wilson(0.9 * 29, 29)
    error = 1.5 * ((ours.high or 0) - (ours.low or 0)) / 2 / stats.t.ppf(0.975, 14)
    wide = reported(0.78, 125, own(0.9, float(error), 29), 29, 0.95)
    assert 0.78 - (wide.low or 0) == near(1.5 * (0.78 - (alone.low or 0)))
    assert (wide.high or 0) - 0.78 == near(1.5 * ((alone.high or 0) - 0.78))
    narrow = reported(0.78, 125, own(0.9, 0.001, 29), 29, 0.95)
    assert (narrow.low, narrow.high) == (near(alone.low), near(alone.high))


def test_a_figure_without_an_interval_gives_the_difference_alone() -> None:
    found = mover(Figure(0.7, None, None, 9), wilson(5, 10))
    assert (found.value, found.low, found.high, found.n) == (near(0.2), None, None, 9)
    assert mover(Figure(None, None, None, 0), wilson(5, 10)).value is None


@pytest.mark.parametrize("apart", [0.02, -0.1, 0.3])
def test_a_chance_is_that_of_the_t_test(apart: float) -> None:
    one = Spread(apart, 0.05, 9, 50, -1.0)
    assert chance(one.figure) == near(2 * stats.t.sf(abs(apart) / 0.05, 9), abs=2e-6)
    assert chance(Spread(0.0, 0.05, 9, 50, -1.0).figure) == 1.0


def labels(seed: int, items: int, people: list[str], right: float) -> dict[object, dict[str, float]]:
    """Three labels an item, by people who are right more or less often than `right`."""
    rng = Random(seed)
    skill = {worker: right + rng.uniform(-0.2, 0.2) for worker in people}
    return {k: {w: float(rng.random() < skill[w]) for w in rng.sample(people, 3)} for k in range(items)}


def units(rows: dict[object, dict[str, float]]) -> dict[object, Unit]:
    return dict(zip(rows, label_units(rows.values(), fmean), strict=True))


def test_a_contrast_over_the_same_items_is_the_crossed_figure_of_the_differences() -> None:
    people = [str(k) for k in range(9)]
    first, second = labels(1, 40, people, 0.8), labels(2, 40, people, 0.6)
    both = []
    for key in first:
        one, other = (dict(zip(side, side.values(), strict=True)) for side in (first[key], second[key]))
        value = fmean(one.values()) - fmean(other.values())
        without = {
            w: fmean(v for n, v in one.items() if n != w) - fmean(v for n, v in other.items() if n != w)
            for w in {*one, *other}
        }
        both.append(Unit(value, without))
    found, known = contrast(units(first), units(second)), crossed(both, least=-1)
    assert found is not None
    assert (found.figure().value, found.figure().low, found.figure().high) == near((known.value, known.low, known.high))


def test_a_contrast_of_what_shares_nothing_has_the_sum_of_both_variances() -> None:
    one = units(labels(1, 300, [f"a{k}" for k in range(12)], 0.8))
    other = {f"x{key}": unit for key, unit in units(labels(2, 300, [f"b{k}" for k in range(12)], 0.6)).items()}
    found, alone = contrast(one, other), [spread(side.values()) for side in (one, other)]
    assert found is not None
    assert found.error == near(np.hypot(*[side.error or 0 for side in alone if side]), rel=0.03)
    assert found.degrees == 11, "the people of one side"


def test_a_contrast_of_majorities_has_the_sum_of_both_variances_too() -> None:
    """Fewer workers shift a majority, on both sides alike: that is no difference between workers."""
    sides = []
    for seed, who in ((1, "a"), (2, "b")):
        rows = labels(seed, 300, [f"{who}{k}" for k in range(12)], 0.8)
        sides.append(dict(zip(rows, label_units(rows.values(), lambda some: majority_chance(some, 1.0)), strict=True)))
    found = contrast(sides[0], {f"x{key}": unit for key, unit in sides[1].items()})
    alone = [spread(side.values()) for side in sides]
    assert found is not None
    assert found.error == near(np.hypot(*[side.error or 0 for side in alone if side]), rel=0.05)


def test_people_on_both_sides_are_taken_into_account_even_on_other_items() -> None:
    """The same seven workers, each as right on the second items as on the first: what they vary by cancels."""
    skill = {str(k): k / 6 for k in range(7)}
    one = {k: Unit(skill[str(k % 7)], {str(k % 7): None}) for k in range(70)}
    other = {f"x{k}": unit for k, unit in one.items()}
    elsewhere = {f"x{k}": Unit(unit.value, {f"b{k % 7}": None}) for k, unit in one.items()}
    same, others = contrast(one, other), contrast(one, elsewhere)
    assert same is not None
    assert others is not None
    assert (same.error or 0) < 0.5 * (others.error or 0)


def test_a_model_is_taken_as_given_and_too_few_people_say_nothing() -> None:
    people = units(labels(1, 40, [str(k) for k in range(9)], 0.8))
    model = {key: Unit(0.5, {}) for key in people}
    found, alone = contrast(people, model), spread(people.values())
    assert found is not None
    assert alone is not None
    assert (found.value, found.error) == (near(alone.value - 0.5), near(alone.error))
    few = contrast(units(labels(1, 40, ["a", "b", "c"], 0.8)), people)
    assert few is not None
    assert few.error is None
    assert contrast(people, {}) is None
    assert contrast(people, {1: Unit(None, {})}) is None
