"""Whom a figure is about: intervals over workers and items against simulations, ranges without any one worker."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random
from statistics import fmean

import numpy as np
import pytest
from scipy import stats

from annotation.pure.reports.human_scores import majority_chance
from annotation.pure.reports.tables import note_of
from annotation.pure.reports.worker_dependence_tables import people_table
from annotation.pure.statistics.intervals import wilson
from annotation.pure.statistics.worker_intervals import (
    LEAST_WORKERS,
    Response,
    Spread,
    Unit,
    crossed,
    label_units,
    over_workers,
    spread,
    two_sided,
    without_one,
)
from tests.bench.coverage import simulated

near = pytest.approx


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 6, 9, 19, 100, 199, 5001])
def test_student_s_t_is_that_of_another_implementation(degrees: int) -> None:
    for level in (0.0, 0.5, 0.9, 0.95, 0.999):
        assert two_sided(level, degrees) == near(stats.t.ppf((1 + level) / 2, degrees), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("level", "degrees"), [(0.95, 0), (1.0, 3), (-0.1, 3)])
def test_student_s_t_refuses_what_it_is_not_defined_for(level: float, degrees: int) -> None:
    with pytest.raises(ValueError, match=r"degree of freedom|between 0 and 1"):
        two_sided(level, degrees)


def _study(workers: int, items: int, right: dict[int, float]) -> list[Response]:
    """Each worker on each item, right on the first share of them."""
    return [
        Response(item, str(worker), float(item < right.get(worker, 0.5) * items))
        for worker in range(workers)
        for item in range(items)
    ]


def test_an_interval_over_workers_is_worked_out_by_hand() -> None:
    """Seven workers with values of their own on all items alike: only workers vary, and it is the t interval."""
    own = [0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]
    rows = [Response(item, str(k), value) for k, value in enumerate(own) for item in range(40)]
    found = over_workers(rows)
    half = stats.t.ppf(0.975, 6) * np.std(own, ddof=1) / np.sqrt(7)
    assert (found.value, found.n) == (near(0.5), 7)
    assert (found.low, found.high) == (near(0.5 - half), near(0.5 + half))


def test_fewer_than_seven_workers_say_nothing_of_people_in_general() -> None:
    for workers in (1, LEAST_WORKERS - 1):
        found = over_workers(_study(workers, 30, {}))
        assert (found.value, found.low, found.high, found.n) == (near(0.5), None, None, workers)
    found = over_workers(_study(LEAST_WORKERS, 30, {0: 0.9}))
    assert found.low is not None
    assert over_workers([]).value is None


def test_where_all_are_equal_the_interval_is_wilsons_and_about_items_only() -> None:
    known = wilson(14, 14)
    alike = over_workers(Response(item, str(worker), 1.0) for item in range(14) for worker in range(9))
    assert (alike.value, alike.low, alike.high, alike.n) == (1.0, known.low, 1.0, 9)
    units = [Unit(1.0, {str(worker): 1.0 for worker in range(9)})] * 14
    assert (crossed(units).low, crossed(units).n) == (known.low, 14)
    assert crossed(units).as_json()["items_only"] is True
    assert crossed(units[:1]).low is None, "one item says nothing"
    even = crossed([Unit(0.0, unit.without) for unit in units], least=-1)
    assert (even.low, even.high) == (near(-(even.high or 0)), near(2 * (wilson(7, 14).high or 0) - 1))
    [table] = people_table([({"text": "Right"}, alike, None)], 9)
    assert "about items only" in note_of(table)
    [table] = people_table([({"text": "Right"}, over_workers(_study(9, 5, {0: 0.9})), None)], 9)
    assert "about items only" not in note_of(table)


def test_a_share_s_interval_reaches_towards_a_half_as_a_score_interval_of_as_much_variance() -> None:
    """With the standard error of a binomial share and as good as infinite degrees it has Wilson's end there."""
    error = (0.9 * 0.1 / 40) ** 0.5
    found, known = Spread(0.9, error, 10**6, 40).figure(), wilson(36, 40)
    assert (found.low, found.high) == (near(known.low, abs=1e-4), near(0.9 + 1.96 * error, abs=1e-4))
    mirrored = Spread(0.1, error, 10**6, 40).figure()
    assert (mirrored.low, mirrored.high) == (near(1 - (found.high or 0)), near(1 - (found.low or 0)))
    signed = Spread(0.9, error, 10**6, 40, -1.0).figure()
    assert signed.low == near(0.9 - 1.96 * error, abs=1e-4), "a difference has no score interval"


def test_with_fewer_items_than_workers_the_items_give_the_degrees() -> None:
    units = [Unit(float(k % 2), {str(worker): float(k % 2) for worker in range(20)}) for k in range(8)]
    found = spread(units)
    assert found is not None
    assert (found.degrees, found.error) == (7, near(np.std([0, 1], ddof=0) * np.sqrt(8 / 7) / np.sqrt(8)))
    assert (found.figure().high or 0) - 0.5 == near(stats.t.ppf(0.975, 7) * (found.error or 0))
    assert found.half(0.99) == near(stats.t.ppf(0.995, 7) * (found.error or 0))


def test_weights_let_each_item_count_the_same() -> None:
    rows = [Response("a", str(k), 1.0, 1 / 8) for k in range(8)] + [Response("b", "0", 0.0, 1.0)]
    assert over_workers(rows).value == near(0.5)


def test_an_interval_stays_within_zero_and_one() -> None:
    found = over_workers(_study(8, 20, dict.fromkeys(range(8), 1.0) | {0: 0.9}))
    assert found.high == 1.0
    assert 0 <= found.low < found.value


def test_a_range_is_from_the_lowest_to_the_highest_without_any_one_worker() -> None:
    units = [Unit(1.0, {"a": 1.0, "b": 0.0}), Unit(0.0, {"a": 0.0, "c": 1.0}), Unit(0.5, {"a": None})]
    found = without_one(units)
    assert (found.value, found.n) == (near(0.5), 3)
    assert (found.low, found.high) == (near(0.5 / 3), near(2.5 / 3))


def test_a_single_worker_has_no_range_and_nothing_has_no_figure() -> None:
    assert without_one([Unit(1.0, {"a": None})]).low is None
    assert without_one([]).value is None
    assert without_one([Unit(None, {"a": None, "b": None})]).value is None


@pytest.mark.parametrize("even", [True, False])
def test_the_interval_holds_the_figure_of_people_in_general_where_that_over_items_does_not(even: bool) -> None:
    found = simulated(LEAST_WORKERS, 0.11, even=even, runs=200, seed=1)
    assert found.items < 0.80
    assert found.workers >= 0.88


def test_with_workers_all_alike_the_interval_is_hardly_wider() -> None:
    found = simulated(10, 0.0, even=True, runs=200, seed=1)
    assert found.workers >= 0.93
    assert 1 <= found.wider <= 1.45


def _crossed_mean(rows: list[Response]) -> Spread:
    by_item: dict[Hashable, dict[str, float]] = {}
    for row in rows:
        by_item.setdefault(row.item, {})[row.worker] = row.value
    found = spread(label_units(by_item.values(), fmean))
    assert found is not None
    return found


def test_a_crossed_interval_of_a_mean_is_nearly_that_of_the_responses() -> None:
    """On balanced responses both estimate the same variances; they differ in how they scale few responses an item."""
    for seed in range(5):
        rng = Random(seed)
        skill = [rng.uniform(0.3, 1) for _worker in range(20)]
        rows = [
            Response(item, str(worker), float(rng.random() < skill[worker]))
            for item in range(80)
            for worker in rng.sample(range(20), 4)
        ]
        one, other = over_workers(rows), _crossed_mean(rows)
        assert other.value == near(one.value)
        assert other.n == 80
        assert 2 * other.half(0.95) == near((one.high or 0) - (one.low or 0), rel=0.15)


def test_a_crossed_interval_of_workers_alone_is_worked_out_by_hand() -> None:
    """Seven workers, each alone on items with a value of their own: only workers vary, and it is the t interval."""
    own = [0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]
    units = [Unit(value, {str(k): None}) for k, value in enumerate(own) for _item in range(40)]
    found = crossed(units)
    half = stats.t.ppf(0.975, 6) * np.std(own, ddof=1) / np.sqrt(7)
    assert (found.value, found.n, found.method) == (near(0.5), 280, "workers and items")
    assert (found.low, found.high) == (near(0.5 - half, rel=1e-3), near(0.5 + half, rel=1e-3))


def test_a_crossed_interval_covers_the_majority_of_other_people() -> None:
    """Majorities of three, of 30 workers with skills of their own on 60 items; the truth is from many simulations."""
    truth, covered = 0.7134, 0
    for seed in range(100):
        rng = Random(seed)
        skill = [rng.gauss(0, 0.15) for _worker in range(30)]
        labels = [
            {str(k): rng.random() < 0.7 + hard + skill[k] for k in rng.sample(range(30), 3)}
            for hard in [rng.gauss(0, 0.25) for _item in range(60)]
        ]
        found = crossed(label_units(labels, lambda some: majority_chance(some, True)))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= truth <= found.high
    assert 88 <= covered <= 99


def test_a_crossed_interval_finds_all_that_workers_vary_by_with_few_responses_an_item() -> None:
    """Means of three skills of variance 0.16; a worker has 30 of 600 responses, give or take sqrt(200 · .15 · .85)."""
    halves = []
    for seed in range(60):
        rng = Random(seed)
        skill = [rng.choice((0.1, 0.9)) for _worker in range(20)]
        labels = [{str(k): skill[k] for k in rng.sample(range(20), 3)} for _item in range(200)]
        found = crossed(label_units(labels, fmean))
        halves.append(((found.high or 0) - (found.low or 0)) / 2)
    variance = 0.16 * 20 * (30**2 + 200 * 0.15 * 0.85) / 600**2
    assert fmean(halves) == near(stats.t.ppf(0.975, 19) * np.sqrt(variance), rel=0.08)


def test_differences_may_be_below_zero_and_few_workers_get_no_crossed_interval() -> None:
    rng = Random(1)
    units = [Unit(rng.choice([-0.5, 0.0]), {str(k): 0.0 for k in rng.sample(range(9), 3)}) for _item in range(30)]
    assert crossed(units).low == 0
    found = crossed(units, least=-1)
    assert found.low is not None
    assert found.low < found.value < 0  # type: ignore[operator]
    few = crossed([Unit(unit.value, {"a": 0.0, "b": 0.0}) for unit in units])
    assert (few.value, few.low, few.high) == (found.value, None, None)
    assert crossed([Unit(None, {"a": None})]).value is None
    assert crossed([]).n == 0


def test_a_range_without_any_one_worker_holds_the_figure_itself() -> None:
    """Each worker alone answered a hard item that leaves with them: without anybody the mean rises."""
    found = without_one([Unit(0.0, {"a": None}), Unit(0.0, {"b": None}), Unit(1.0, {})])
    assert (found.low, found.value, found.high) == (near(1 / 3), near(1 / 3), near(0.5))
