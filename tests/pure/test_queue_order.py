from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.batches.queue_order import BLOCK, block_of, in_blocks, own_order


def order(tickets: list[int], *, seed: int = 7, worker: str = "ann") -> list[int]:
    return own_order(tickets, seed=seed, worker=worker)


def test_an_order_is_the_same_for_ever() -> None:
    """Published orders are computed again from an export, perhaps in years."""
    assert order(list(range(10))) == [5, 3, 4, 8, 1, 7, 2, 0, 9, 6]


def test_another_worker_seed_or_block_has_another_order() -> None:
    first, second = list(range(BLOCK)), list(range(BLOCK, 2 * BLOCK))
    orders = [order(first), order(first, worker="bea"), order(first, seed=8), [k - BLOCK for k in order(second)]]
    assert all(sorted(one) == first for one in orders)
    assert all(one != other for one, other in permutations(orders, 2))


@given(st.sets(st.integers(0, BLOCK - 1)))
def test_what_is_left_of_a_block_keeps_its_order(left: set[int]) -> None:
    assert order(sorted(left)) == [ticket for ticket in order(list(range(BLOCK))) if ticket in left]


def test_each_ticket_comes_at_each_place_equally_often() -> None:
    """Chi-squared with 81 degrees of freedom: above 127 once in a thousand times."""
    counts = [[0] * 10 for _ in range(10)]
    for worker in range(2000):
        for place, ticket in enumerate(order(list(range(10)), worker=str(worker))):
            counts[place][ticket] += 1
    assert sum((count - 200) ** 2 / 200 for row in counts for count in row) < 127


class Row(NamedTuple):
    ticket: int


def test_blocks_come_one_after_another_each_in_the_workers_order() -> None:
    tickets = [3, 7, 49, 50, 99, 250]
    blocks = list(in_blocks([Row(ticket) for ticket in tickets], seed=7, worker="ann"))
    assert [(first, [row.ticket for row in rows]) for first, rows in blocks] == [
        (0, order([3, 7, 49])),
        (50, order([50, 99])),
        (250, [250]),
    ]
    for first, rows in blocks:
        assert {block_of(row.ticket) for row in rows} == {block_of(first)}


def test_without_a_worker_the_rows_stay_as_they_are() -> None:
    rows = [Row(ticket) for ticket in range(120)]
    assert [row for _first, block in in_blocks(rows, seed=7, worker="") for row in block] == rows
