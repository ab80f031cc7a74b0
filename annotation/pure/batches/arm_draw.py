"""Drawing an arm of an experiment, or an order of its arms, so that what is submitted stays balanced.

Orders are rows of a Williams design (Williams 1949, Experimental designs balanced for the estimation of residual
effects of treatments): a Latin square, or two for an odd number of arms, in which each arm stands at each position and
follows each other arm equally often, and each order has its reverse.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

Order = tuple[int, ...]  # numbers of arms


@dataclass(frozen=True, slots=True)
class Drawn:
    """An earlier draw. `submitted`: the arms with a response; `is_at_work`: whether more of them will have one."""

    order: Order
    submitted: Collection[int]
    is_at_work: bool


def latin_square(arms: int) -> list[Order]:
    """Orders of arms 0, 1, ...: as many as arms, or twice as many for an odd number above 1."""
    first = [-(k // 2) % arms if k % 2 == 0 else k // 2 + 1 for k in range(arms)]
    rows = [tuple((arm + shift) % arms for arm in first) for shift in range(arms)]
    return rows + [row[::-1] for row in rows] if arms % 2 and arms > 1 else rows


def draw(orders: Sequence[Order], drawn: Iterable[Drawn], seed: int) -> Order:
    """One of the orders (of one arm each where a worker gets one), at random among those that are needed most.

    An order is needed most if its arms have the fewest responses at its positions, those expected of workers under way
    among them; then if it was drawn least often.
    """
    filled: Counter[tuple[int, int]] = Counter()
    times: Counter[Order] = Counter()
    for one in drawn:
        times[one.order] += 1
        filled.update(cell for cell in enumerate(one.order) if one.is_at_work or cell[1] in one.submitted)

    def need(order: Order) -> tuple[int, int]:
        return sum(filled[cell] for cell in enumerate(order)), times[order]

    least = min(map(need, orders))
    return random.Random(seed).choice([order for order in orders if need(order) == least])
