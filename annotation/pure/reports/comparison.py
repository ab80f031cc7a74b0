"""Compare two sets of scores: paired on shared items, unpaired otherwise.

Scores are {key of an item: value in 0..1}. Paired differences are resampled by item, so that an item's difficulty
affects both sides; unpaired ones resample each side alone, which gives wider intervals. The tests are randomisation
tests of the same kinds: random signs, or random reassignment of values to the two sides.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from annotation.pure.numeric import np
from annotation.pure.statistics import significance
from annotation.pure.statistics.intervals import RESAMPLES, Figure, bootstrap_figure, resampled_sums

Values = Mapping[Hashable, float]
PEOPLE = "all"  # the key of all annotators of a batch together
LEAST_PAIRS = 5  # shared items from which on a difference is paired


@dataclass(frozen=True, slots=True)
class Measured:
    """One side of a comparison. `scores` and `agreements` are per item, 0..1."""

    key: str
    label: str
    scores: Values = field(default_factory=dict)
    agreements: Values = field(default_factory=dict)
    answers: int = 0
    seconds: float | None = None  # median active time of an answer
    paid: Decimal | None = None  # without fees
    wage: Decimal | None = None  # median over annotators, an hour
    report: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first minus the second. `figure.n` counts the shared items, or the smaller side's if unpaired.

    `chance` is the p value of no difference, not adjusted for others; `effect` is Cohen's d.
    """

    figure: Figure
    paired: bool
    chance: float
    effect: float | None


def difference(first: Values, second: Values, seed: int) -> Difference | None:
    """The difference of the means, paired if enough items are shared; None if a side has no value."""
    if not first or not second:
        return None
    shared = sorted(first.keys() & second.keys(), key=repr)
    if len(shared) >= LEAST_PAIRS:
        apart = [first[key] - second[key] for key in shared]
        tested = significance.paired(apart, seed), significance.effect(apart)
        return Difference(bootstrap_figure(apart, seed), True, *tested)
    one, two = ([side[key] for key in sorted(side, key=repr)] for side in (first, second))
    tested = significance.unpaired(one, two, seed), significance.effect_unpaired(one, two)
    return Difference(_unpaired(first, second, seed), False, *tested)


def mean_of(values: Values, seed: int) -> Figure:
    return bootstrap_figure([values[key] for key in sorted(values, key=repr)], seed)


def _unpaired(first: Values, second: Values, seed: int) -> Figure:
    """The difference of means with independent resamples; percentile interval, none if a side has a single item."""
    sides = [np.array([[side[key]] for key in sorted(side, key=repr)]) for side in (first, second)]
    value = float(sides[0].mean() - sides[1].mean())
    n = min(len(side) for side in sides)
    if n < 2:
        return Figure(value, None, None, n)
    drawn = [resampled_sums(side, seed + k, resamples=RESAMPLES)[:, 0] / len(side) for k, side in enumerate(sides)]
    low, high = np.quantile(drawn[0] - drawn[1], [0.025, 0.975])
    return Figure(value, float(low), float(high), n, "percentile")
