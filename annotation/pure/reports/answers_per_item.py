"""Figures at an equal number of answers per item (k), because the upper bound and the agreement grow with k.

An item with more than k answers counts with the expected value over all draws of k of them.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from random import Random
from typing import TypeVar

MOST_DRAWS = 1000  # up to this many draws are enumerated; of more, this many are sampled
SEED = 0  # of the sampled draws

T = TypeVar("T")


def common_count(items: Iterable[tuple[int, int]]) -> int:
    """The number of answers k at which items are compared, from (answers, answers wanted) of each; 0 without items.

    k is the smallest number wanted, or the smallest number of answers if that is larger; at most the largest number of
    answers.
    """
    known = list(items)
    if not known:
        return 0
    fewest, most = min(answers for answers, _wanted in known), max(answers for answers, _wanted in known)
    return min(most, max(fewest, min(wanted for _answers, wanted in known)))


def expected_best(values: Sequence[float], count: int) -> float:
    """The expected maximum of `count` values drawn without replacement; the maximum if there are no more."""
    if count >= len(values):
        return max(values)
    ways = math.comb(len(values), count)  # the value of rank r is the best of a draw with count - 1 of the r below it
    return math.fsum(math.comb(rank, count - 1) / ways * value for rank, value in enumerate(sorted(values)))


def draws(things: Sequence[T], count: int) -> Iterator[tuple[T, ...]]:
    """All combinations of `count` things, or MOST_DRAWS seeded random draws if there are more."""
    if math.comb(len(things), count) <= MOST_DRAWS:
        yield from combinations(things, count)
        return
    rng = Random(SEED)
    for _draw in range(MOST_DRAWS):
        yield tuple(rng.sample(things, count))
