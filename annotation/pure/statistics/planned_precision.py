"""Plan a batch's precision: the expected interval, and the number of items for a target width.

The figure is a mean over items, each scored in 0..1 (a proportion is scores of 0 and 1). Of a single annotation's
score the variance has two parts: `between` items, which only more items shrink, and `within` an item, among those
who could answer it, which annotators shrink as well. So with n items and k annotations of each

    variance of the mean = (between + within / k) / n

and the 95 % interval is 1.96 standard errors to either side. Items count as a sample from an
unlimited population: there is no finite population correction. This interval is for planning; reports quote that
of `intervals`.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from annotation.pure.statistics.intervals import LEVEL

WORST: Final = 0.25  # variance of a score in 0..1 is at most that: half of the items 0, half 1
ALIKE: Final = 0.5  # default share of it between items (an alpha of one half)
MOST_ITEMS: Final = 10**9


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of a single annotation's score, in its two parts."""

    between: float
    within: float

    def __post_init__(self) -> None:
        if self.between < 0 or self.within < 0:
            raise ValueError("a variance is not negative")

    def of_item(self, annotators: int) -> float:
        """The variance of an item's mean score over `annotators` annotations. Raises ValueError for less than one."""
        if annotators < 1:
            raise ValueError("an item needs at least one annotation")
        return self.between + self.within / annotators


UNKNOWN: Final = Spread(WORST * ALIKE, WORST * (1 - ALIKE))


def observed(low: float, high: float, n: int, *, annotators: int, alike: float = ALIKE) -> Spread:
    """The spread implied by an interval over `n` items with `annotators` annotations each; at most the worst case.

    `alike` is the share of a single annotation's variance that lies between items. Raises ValueError for less than
    two items, an empty interval or a share that is not in 0..1 (0 excluded).
    """
    if n < 2 or high <= low or not 0 < alike <= 1:
        raise ValueError("an interval over at least two items tells of a spread")
    of_item = n * ((high - low) / 2 / _z()) ** 2
    single = min(WORST, of_item / (alike + (1 - alike) / annotators))
    return Spread(single * alike, single * (1 - alike))


def half_width(items: int, annotators: int, *, spread: Spread = UNKNOWN) -> float | None:
    """Half of the expected 95 % interval with these numbers of items and annotators, in 0..0.5; None without items."""
    if items < 1:
        return None
    return min(0.5, _z() * math.sqrt(spread.of_item(annotators) / items))


def items_for(half: float, annotators: int, *, spread: Spread = UNKNOWN) -> int:
    """The fewest items whose interval is at most `half` to either side. Raises ValueError for a width not in 0..0.5."""
    if not 0 < half <= 0.5:
        raise ValueError("a half-width lies between 0 and 0.5")
    exact = spread.of_item(annotators) * (_z() / half) ** 2
    return min(MOST_ITEMS, max(1, math.ceil(exact - 1e-9)))


def _z() -> float:
    return NormalDist().inv_cdf((1 + LEVEL) / 2)
