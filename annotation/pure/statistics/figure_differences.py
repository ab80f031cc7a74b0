"""Differences of two figures with intervals at any level.

Where items or people are shared, the difference is one contrast with the variances over items and workers
(`worker_intervals`). Where nothing is, its interval follows from the two figures' own intervals by the method of
variance estimates recovery (MOVER; Zou and Donner 2008), and never is narrower than either.
"""

import math
from collections.abc import Callable, Hashable, Mapping

from annotation.pure.statistics.intervals import Figure, wilson
from annotation.pure.statistics.worker_intervals import Spread, Unit, spread

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
