"""Draws of arms: Latin squares, balance after people left, and that equally hard arms come out equal."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from annotation.pure.batches.arm_draw import Drawn, Order, draw, latin_square
from tests.bench.coverage_arms import EVEN, newest_first, simulated

ONE = [(0,), (1,), (2,)]


@pytest.mark.parametrize("arms", range(1, 9))
def test_each_arm_stands_at_each_position_and_follows_each_other_equally_often(arms: int) -> None:
    square = latin_square(arms)
    cells = Counter(cell for row in square for cell in enumerate(row))
    assert len(cells) == arms * arms
    assert len(set(cells.values())) == 1
    follows = Counter(pair for row in square for pair in itertools.pairwise(row))
    assert len(follows) == arms * (arms - 1)
    assert len(set(follows.values())) <= 1
    assert {row[::-1] for row in square} == set(square)


def drawn_by(number: int, orders: list[Order], before: list[Drawn], *, stay: bool = True) -> list[Drawn]:
    """The draws of so many people more, who submit all of their arms, or nothing and leave."""
    for seed in range(number):
        order = draw(orders, before, seed)
        before = [*before, Drawn(order, order if stay else (), is_at_work=False)]
    return before


@pytest.mark.parametrize("arms", [2, 3, 4, 5, 7])
def test_positions_are_level_after_each_round(arms: int) -> None:
    before: list[Drawn] = []
    for round in range(1, 5):
        before = drawn_by(arms, latin_square(arms), before)
        cells = Counter(cell for one in before for cell in enumerate(one.order))
        assert set(cells.values()) == {round}
        assert len(cells) == arms * arms


def test_who_submitted_counts_and_not_who_left() -> None:
    before = [Drawn((0,), (), is_at_work=False)] * 5 + [Drawn((1,), (1,), is_at_work=False)]
    assert draw(ONE, before, 1) == (2,), "neither responses nor people: drawn least often"
    before += [Drawn((2,), (2,), is_at_work=False)]
    assert draw(ONE, before, 1) == (0,), "five began there, and none of them submitted"


def test_who_is_at_work_counts_as_if_they_had_submitted() -> None:
    before = [Drawn((0,), (), is_at_work=True), Drawn((1,), (1,), is_at_work=False)]
    assert draw(ONE, before, 1) == (2,)


def test_an_order_that_was_left_after_one_arm_is_dealt_anew() -> None:
    square = latin_square(4)
    before = [Drawn(order, order, is_at_work=False) for order in square[:3]]
    before += [Drawn(square[3], square[3][:1], is_at_work=False)]
    assert draw(square, before, 1) == square[3]


def test_a_draw_follows_from_its_seed_and_the_draws_before() -> None:
    square = latin_square(5)
    assert draw(square, [], 7) == draw(square, [], 7)
    assert len({draw(square, [], seed) for seed in range(200)}) == len(square)


@pytest.mark.parametrize("by_items", [False, True])
def test_arms_that_are_equally_hard_come_out_equal_where_they_are_drawn(by_items: bool) -> None:
    """Practice of 1 logit, one in five leaves; `make bench coverage` has 400 studies. Newest first: 11 to 14 points."""
    off, _error = simulated(EVEN, by_items=by_items, runs=12)
    assert off < 0.4
    unfair, _error = simulated(EVEN, newest_first, by_items=by_items, runs=1)
    assert unfair > 5
