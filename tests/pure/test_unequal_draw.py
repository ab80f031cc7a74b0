"""Draws with unequal chances: sums, bounds, exact sizes, and how often each item is drawn."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.statistics.random_draws import draw, inclusion_chances, uncertainty

near = pytest.approx


@given(st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=60), st.data())
def test_chances_add_up_to_the_number_and_keep_their_bounds(sizes: list[float], data: st.DataObject) -> None:
    number = data.draw(st.integers(1, len(sizes)))
    chances = inclusion_chances(sizes, number)
    assert sum(chances) == near(number, abs=1e-9)
    assert max(chances) <= 1 + 1e-12
    assert min(chances) >= 0.1 * number / len(sizes) - 1e-12
    picked = draw(chances, 1)
    assert len(picked) == len(set(picked)) == number
    assert picked == sorted(picked)


def test_between_the_bounds_chances_are_proportional_to_sizes() -> None:
    chances = inclusion_chances([1, 2, 3, 4, 1000, 0], 3)
    assert chances[4] == 1
    assert chances[5] == near(0.05)
    assert [chance / chances[0] for chance in chances[:4]] == near([1, 2, 3, 4])


@pytest.mark.parametrize("sizes", [[0, 0, 0, 0], [5, 5, 5, 5]])
def test_equal_sizes_have_equal_chances(sizes: list[float]) -> None:
    assert inclusion_chances(sizes, 2) == near([0.5] * 4)


def test_items_are_drawn_as_often_as_their_chances_say() -> None:
    chances = inclusion_chances([1, 2, 3, 4, 100, 0, 5, 5], 4)
    counts = Counter(item for seed in range(6_000) for item in draw(chances, seed))
    assert [counts[k] / 6_000 for k in range(8)] == near(chances, abs=0.025)
    assert draw(chances, 7) == draw(chances, 7)
    assert draw([1.0, 1.0], 3) == [0, 1]


@pytest.mark.parametrize(("sizes", "number"), [([1], 2), ([1, 2], 0), ([1, -1], 1), ([1, float("nan")], 1)])
def test_what_cannot_be_drawn_is_refused(sizes: list[float], number: int) -> None:
    with pytest.raises(ValueError, match=r"drawn|numbers from 0"):
        inclusion_chances(sizes, number)


def test_a_model_is_least_certain_at_one_half() -> None:
    assert [uncertainty(c) for c in (0, 0.2, 0.5, 1)] == near([0, 0.4, 0.5, 0])
    with pytest.raises(ValueError, match="between 0 and 1"):
        uncertainty(85)
