"""Differences of two figures with intervals at any level, and significance tests with corrections for multiple tests.

Marks on workers control the false discovery rate (Benjamini and Hochberg 1995): an expected share of at most `Q` of
the marked workers is marked by chance. Differences in a table control the family-wise error rate (Holm 1979). P values
are two-sided unless stated otherwise.

Where items or people are shared, the difference is one contrast with the variances over items and workers
(`worker_intervals`). Where nothing is, its interval follows from the two figures' own intervals by the method of
variance estimates recovery (MOVER; Zou and Donner 2008), and never is narrower than either.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence

from annotation.pure.numeric import np
from annotation.pure.statistics.intervals import Figure, wilson
from annotation.pure.statistics.worker_intervals import Spread, Unit, spread

Q = 0.05  # the expected share of people marked by chance
PERMUTATIONS = 9_999


def holm(chances: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p values, in the given order."""
    order = sorted(range(len(chances)), key=lambda k: chances[k])
    adjusted, reached = [0.0] * len(chances), 0.0
    for place, k in enumerate(order):
        reached = max(reached, min(1.0, (len(chances) - place) * chances[k]))
        adjusted[k] = reached
    return adjusted


def benjamini_hochberg(chances: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's step-up adjusted p values, in the given order; values of at most Q are marked."""
    order = sorted(range(len(chances)), key=lambda k: chances[k], reverse=True)
    adjusted, reached = [0.0] * len(chances), 1.0
    for place, k in enumerate(order):
        reached = min(reached, chances[k] * len(chances) / (len(chances) - place))
        adjusted[k] = reached
    return adjusted


def at_least(successes: int, n: int, chance: float) -> float:
    """One-sided p value: the binomial probability of at least `successes` of n, each with probability `chance`."""
    if successes <= 0:
        return 1.0
    if chance in (0.0, 1.0):
        return chance
    terms = (
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(chance)
        + (n - k) * math.log1p(-chance)
        for k in range(successes, n + 1)
    )
    return min(1.0, math.fsum(math.exp(term) for term in terms))


def at_most(successes: int, n: int, chance: float) -> float:
    """One-sided p value: the binomial probability of at most `successes` of n, each with probability `chance`."""
    return at_least(n - successes, n, 1 - chance)


def mcnemar(only_first: int, only_second: int) -> float:
    """P value of the exact McNemar test, from the numbers of items on which only one of two sides succeeds."""
    return min(1.0, 2 * at_least(max(only_first, only_second), only_first + only_second, 0.5))


def effect(differences: Sequence[float]) -> float | None:
    """Cohen's d of paired differences: their mean in standard deviations; None if all are equal."""
    table = np.asarray(differences, dtype=np.float64)
    spread = float(table.std(ddof=1)) if len(table) > 1 else 0.0
    return float(table.mean()) / spread if spread > 1e-12 else None


def effect_unpaired(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Cohen's d of two sides: the difference of their means in pooled standard deviations."""
    sides = [np.asarray(side, dtype=np.float64) for side in (first, second)]
    degrees = sum(len(side) for side in sides) - 2
    if degrees < 1:
        return None
    spread = math.sqrt(sum(float(np.sum((side - side.mean()) ** 2)) for side in sides) / degrees)
    return float(sides[0].mean() - sides[1].mean()) / spread if spread > 1e-12 else None


def chance_text(chance: float) -> str:
    """A p value with three digits."""
    return "< 0.001" if chance < 0.001 else f"{chance:.3f}"


Units = Mapping[Hashable, Unit]
Ends = Callable[[float], Figure]  # the difference with its interval at a level
STEPS = 20  # of bisection: a chance is known to 1e-6


def contrast(first: Units, second: Units) -> Spread | None:
    """The mean of the first units minus that of the second, over workers and items; None if a side has no value.

    Units of the same key are the same item. A side without workers, as a model's, is taken as given.
    """
    sides = [{key: unit for key, unit in side.items() if unit.value is not None} for side in (first, second)]
    if not all(sides):
        return None
    keys = list(dict.fromkeys(key for side in sides for key in side))
    means, value = [math.fsum(unit.value or 0.0 for unit in side.values()) / len(side) for side in sides], 0.0
    at, changes = dict.fromkeys(keys, 0.0), {key: dict[str, float]() for key in keys}
    for side, mean, sign in zip(sides, means, (1, -1), strict=True):
        scale, value = sign * len(keys) / len(side), value + sign * mean
        for key, unit in side.items():
            at[key] += scale * ((unit.value or 0.0) - mean)
        for key, worker, change in _changes(side, mean):
            changes[key][worker] = changes[key].get(worker, 0.0) + scale * change
    units = [
        Unit(value + at[key], {worker: value + at[key] - change for worker, change in changes[key].items()})
        for key in keys
    ]
    people = [len(some) for side in sides if (some := workers_of(side))]
    return spread(units, least=-1.0, people=min(people, default=0))


def _changes(side: Units, mean: float) -> list[tuple[Hashable, str, float]]:
    """What each unit changes without each worker, less what all change on average: fewer workers shift a majority."""
    found = [
        (key, worker, (unit.value or 0.0) - (mean if other is None else other))
        for key, unit in side.items()
        for worker, other in unit.without.items()
    ]
    shift = math.fsum(change for _key, _worker, change in found) / len(found) if found else 0.0
    return [(key, worker, change - shift) for key, worker, change in found]


def workers_of(units: Units) -> set[str]:
    return {worker for unit in units.values() for worker in unit.without}


def mover(first: Figure, second: Figure) -> Figure:
    """The first figure minus the second, which share nothing; without an interval where one of them has none."""
    ends = (first.value, first.low, first.high, second.value, second.low, second.high)
    known = [end for end in ends if end is not None]
    if first.value is None or second.value is None:
        return Figure(None, None, None, 0)
    value, n = first.value - second.value, min(first.n, second.n)
    if len(known) < len(ends):
        return Figure(value, None, None, n)
    one, low, high, other, other_low, other_high = known
    below, above = math.hypot(one - low, other_high - other), math.hypot(high - one, other - other_low)
    return Figure(value, max(-1.0, value - below), min(1.0, value + above), n, "mover")


def reported(value: float, n: int, own: Spread, own_n: int, level: float) -> Figure:
    """A share that is known by its value and n alone, in 0..1, with the interval that its workers and items give it.

    Wilson's, each side stretched as our figure's interval over workers and items is wider than Wilson's at our n.
    """
    alone, ours = wilson(value * n, n, level=level), wilson(own.value * own_n, own_n, level=level)
    stretch = max(1.0, 2 * own.half(level) / ((ours.high or 0.0) - (ours.low or 0.0)))
    low, high = value - stretch * (value - (alone.low or 0.0)), value + stretch * ((alone.high or 0.0) - value)
    return Figure(value, max(0.0, low), min(1.0, high), n, "wilson, stretched")


def chance(ends: Ends) -> float:
    """P value, two-sided: the smallest level alpha at which the interval with 1 - alpha excludes 0."""
    if not ends(0.5).value:
        return 1.0
    includes, excludes = 0.0, 1.0
    for _step in range(STEPS):
        alpha = (includes + excludes) / 2
        found = ends(1 - alpha)
        if (found.low or 0.0) > 0 or (found.high or 0.0) < 0:
            excludes = alpha
        else:
            includes = alpha
    return excludes
