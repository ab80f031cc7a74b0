"""Two runs of the same study are seldom called different: the bench's simulation in a quick form."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.pure.statistics.worker_intervals import spread
from annotation.pure.studies.conclusions import DIFFERENT, Own, compared
from annotation.pure.studies.published import Published
from tests.bench.coverage_compare import (
    ITEMS,
    LEVEL,
    MAJORITY,
    SINGLES,
    called,
    contrasted,
    different,
    drawn,
    spreads,
    units,
)
from tests.long_forms import first


def paper(value: float) -> Published:
    return Published("", value, "percent", ITEMS, "", "", "", "", "", "b", "p", primary=True)


@pytest.mark.parametrize("measure", [SINGLES, MAJORITY])
@pytest.mark.parametrize("workers", [7, 15])
def test_the_simulation_s_twin_equals_the_product(workers: int, measure: str) -> None:
    rng, draws = np.random.default_rng(3), 12
    first, second = (drawn(rng, rng.normal(0, 1, (draws, workers)), ability=ability) for ability in (1.6, 0.9))
    twin, theirs = spreads(first, workers, measure), spreads(second, workers, measure).value
    rows = []
    for draw in range(draws):
        found = spread(units(first, draw, measure))
        assert found is not None
        assert (found.value, found.error) == pytest.approx((twin.value[draw], twin.error[draw]))
        assert found.degrees == twin.degrees
        rows.append((paper(float(theirs[draw])), Own(found.value, ITEMS, found)))
    for some, level in (([[row] for row in rows], LEVEL), ([rows], 1 - (1 - LEVEL) / draws)):
        known = [any(one is not None and one.conclusion == DIFFERENT for one in compared(each)) for each in some]
        told = different(twin, theirs, level)
        assert known == (told.tolist() if len(some) > 1 else [bool(told.any())])


@pytest.mark.parametrize("workers", first(1, [7, 15]))
def test_another_run_is_seldom_called_different_where_intervals_over_items_would_often_do(workers: int) -> None:
    assert called(600, workers, 1.0, MAJORITY)[0] <= 0.07
    assert called(600, workers, 1.0, MAJORITY, items_only=True)[0] > 0.1


def test_any_of_ten_is_seldom_called_different_and_a_real_difference_is_found() -> None:
    some, first = called(1_000, 15, 0.6, MAJORITY, family=10)
    assert some <= 0.07
    assert first <= 0.02
    assert called(200, 15, 0.6, MAJORITY, family=10, lower=0.3)[1] > 0.7


@pytest.mark.parametrize("same_people", [True, False])
def test_batches_that_share_questions_or_people_are_seldom_called_different(same_people: bool) -> None:
    assert contrasted(100, 7, 1.0, SINGLES, same_people=same_people) <= 0.1
