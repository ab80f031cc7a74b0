"""Intervals over workers: figures for these workers, or for workers in general.

Intervals that resample items hold for the workers who took part. For a mean of responses an interval can also
generalise to workers like them (two-way clustering, Cameron, Gelbach and Miller 2011): its variance is that over items
plus that over workers (jackknife) minus that of single responses, which is in both, and at least the larger of the
two; with Student's t and one degree of freedom less than there are workers. Other figures, such as that of a majority,
have the range of their values with one worker left out, or a `Spread` from what each item's value changes without each
of its workers. Where all values are equal nothing can be said of workers: Wilson's interval is about items only.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from annotation.pure.numeric import Floats, Integers, np
from annotation.pure.reports.tables import text_cell
from annotation.pure.statistics.agreement import label_codes
from annotation.pure.statistics.intervals import ITEMS_ONLY, LEVEL, Figure, wilson
from annotation.pure.text.translation_marks import gettext_noop as _

LEAST_WORKERS = 7  # with fewer the intervals say too little: t with 2 degrees alone makes them 2.2 times as wide

THESE = _(
    "The 95 %% intervals hold for these %(n)s annotators: they resample items and do not predict how other "
    "people would perform."
)
THIS_ONE = _("The 95 %% intervals hold for this one annotator only.")
TOO_FEW = _(
    "No interval is given for people in general: this requires at least %(least)s annotators, and only %(n)s "
    "took part. An interval over so few people would mostly reflect who happened to take part."
)
H = TypeVar("H")


class Response(NamedTuple):
    """A worker's value on an item, 0 to 1; a `weight` can keep items with many responses from counting more."""

    item: Hashable
    worker: str
    value: float
    weight: float = 1.0


class Unit(NamedTuple):
    """A figure's value for an item or a group of items, and its value without each of its workers.

    None: the item does not count.
    """

    value: float | None
    without: Mapping[str, float | None]


def label_units(labels: Iterable[Mapping[str, H]], value: Callable[[list[H]], float | None]) -> Iterator[Unit]:
    """The value of labels by worker, and without each worker; without labels a unit does not count."""
    for by_worker in labels:
        others = {worker: [x for name, x in by_worker.items() if name != worker] for worker in by_worker}
        yield Unit(value(list(by_worker.values())), {w: value(rest) if rest else None for w, rest in others.items()})


def whom(workers: int) -> dict[str, Any]:
    """A sentence on the workers for whom intervals over items hold, as a text cell."""
    return text_cell(THIS_ONE) if workers == 1 else text_cell(THESE, n=workers)


def too_few(workers: int) -> dict[str, Any]:
    """The reason why there are no figures for workers in general."""
    return text_cell(TOO_FEW, n=workers, least=LEAST_WORKERS)


def over_workers(responses: Iterable[Response], *, least: float = 0.0) -> Figure:
    """The (weighted) mean of responses with its 95 % interval over workers and items; n counts the workers.

    No interval for fewer than LEAST_WORKERS; ITEMS_ONLY if all responses are equal. Values lie in `least`..1.
    """
    rows = list(responses)
    if not rows:
        return Figure(None, None, None, 0)
    weights = np.array([row.weight for row in rows])
    values = np.array([row.value for row in rows])
    value = float(weights @ values / weights.sum())
    items, workers = (label_codes(row[k] for row in rows) for k in (0, 1))
    number = int(workers.max()) + 1
    if number < LEAST_WORKERS:
        return Figure(value, None, None, number)
    if np.ptp(values) == 0:
        return replace(_equal(value, int(items.max()) + 1, least, LEVEL), n=number)
    half = two_sided(LEVEL, number - 1) * math.sqrt(crossed_variance(weights, values, items, workers))
    return Figure(value, max(least, value - half), min(1.0, value + half), number, "workers and items")


def crossed_variance(weights: Floats, values: Floats, items: Integers, workers: Integers) -> float:
    """The variance over items and workers of a weighted mean of responses; both as codes from 0."""
    off = deviations(weights, values)
    of_items = clustered_variance(off, items)
    of_workers = jackknife_variance(weights, weights * values, workers)
    return max(of_items + of_workers - float(off @ off), of_items, of_workers)


def deviations(weights: Floats, values: Floats) -> Floats:
    """What each response adds to the deviation of the weighted mean."""
    off: Floats = weights * (values - weights @ values / weights.sum()) / weights.sum()
    return off


def crossed_sum(off: Floats, items: Integers, workers: Integers) -> float:
    """The variance over items and workers of a sum of deviations; both as codes from 0."""
    of_items, of_workers = clustered_variance(off, items), clustered_variance(off, workers)
    return max(of_items + of_workers - float(off @ off), of_items, of_workers)


def without_one(units: Iterable[Unit]) -> Figure:
    """The mean over units, from its lowest to its highest with all workers or without one; n counts the workers.

    No range for a single worker.
    """
    kept: list[float] = []
    changed: defaultdict[str, list[tuple[float | None, float | None]]] = defaultdict(list)
    for unit in units:
        if unit.value is not None:
            kept.append(unit.value)
        for worker, value in unit.without.items():
            changed[worker].append((unit.value, value))
    if not kept:
        return Figure(None, None, None, len(changed))
    total, n = math.fsum(kept), len(kept)
    means = [mean for rows in changed.values() if (mean := _changed(total, n, rows)) is not None]
    with_all = total / n  # may lie outside: a worker's hardest items leave with them
    low, high = (min(*means, with_all), max(*means, with_all)) if len(changed) > 1 and means else (None, None)
    return Figure(with_all, low, high, len(changed), "without one worker")


@dataclass(frozen=True, slots=True)
class Spread:
    """A mean over `n` units and how much it varies over workers and items, for an interval at any level.

    `error` is its standard error, 0 if all values are equal; None with fewer than LEAST_WORKERS. The interval lies
    between `least` and 1; that of a share reaches further towards .5, as a score interval does.
    """

    value: float
    error: float | None
    degrees: int
    n: int
    least: float = 0.0

    def figure(self, level: float = LEVEL) -> Figure:
        if self.error is None:
            return Figure(self.value, None, None, self.n)
        if not self.error:
            return _equal(self.value, self.n, self.least, level)
        half = self.half(level)
        low, high = self.value - half, self.value + half
        if self.least == 0 and 0 < self.value < 1:
            low, high = _with_score_ends(self.value, half, low, high)
        return Figure(self.value, max(self.least, low), min(1.0, high), self.n, "workers and items")

    def half(self, level: float) -> float:
        """Half of the interval's width before its ends are cut."""
        return two_sided(level, self.degrees) * (self.error or 0.0)


def contrast_of_means(first: Sequence[Response], second: Sequence[Response]) -> Spread:
    """The (weighted) mean of the first responses minus that of the second, over items and workers that may be in both.

    n counts the items. Without an error where a side has fewer than LEAST_WORKERS. Raises ValueError if one is empty.
    """
    if not first or not second:
        raise ValueError("a contrast has two sides")
    parts, value = list[Floats](), 0.0
    for sign, rows in ((1, first), (-1, second)):
        weights, values = np.array([row.weight for row in rows]), np.array([row.value for row in rows])
        value += sign * float(weights @ values / weights.sum())
        parts.append(sign * deviations(weights, values))
    rows = [*first, *second]
    items, workers = (label_codes(row[k] for row in rows) for k in (0, 1))
    number, people = int(items.max()) + 1, min(len({row.worker for row in side}) for side in (first, second))
    if people < LEAST_WORKERS:
        return Spread(value, None, people - 1, number, -1.0)
    return Spread(value, math.sqrt(crossed_sum(np.concatenate(parts), items, workers)), people - 1, number, -1.0)


def _with_score_ends(value: float, half: float, low: float, high: float) -> tuple[float, float]:
    """The ends, or those of Wilson's score interval for a share that varies as much, where these lie further out.

    A high share that happens to be too high has a standard error that is too small: the end towards .5 is too near.
    """
    k = half**2 / (value * (1 - value))
    middle, reach = (value + k / 2) / (1 + k), math.sqrt(half**2 + k**2 / 4) / (1 + k)
    return min(low, middle - reach), max(high, middle + reach)


def _equal(value: float, n: int, least: float, level: float) -> Figure:
    """Wilson's interval of n values that are all equal, on the scale from `least` to 1."""
    width = 1 - least
    found = wilson((value - least) / width * n, n, level=level)
    low, high = (least + width * end for end in (found.low or 0.0, found.high or 0.0))
    return Figure(value, low, high, n, ITEMS_ONLY)


def crossed(units: Iterable[Unit], *, least: float = 0.0) -> Figure:
    """The mean over units with its 95 % interval over workers and items, also where it is of majorities; n: the units.

    No interval for fewer than LEAST_WORKERS; ITEMS_ONLY if all values are equal.
    """
    found = spread(units, least=least)
    return found.figure() if found else Figure(None, None, None, 0)


def spread(units: Iterable[Unit], *, least: float = 0.0, people: int | None = None) -> Spread | None:
    """The spread of the mean over units; None without a value.

    The variances of `over_workers`, from what a unit's value changes without each of its workers; t has one degree of
    freedom less than there are workers or units. `people`: how many workers count as such, if not all of the units'.
    """
    kept = [(unit.value, unit.without) for unit in units if unit.value is not None]
    if not kept:
        return None
    n, value = len(kept), math.fsum(one for one, _without in kept) / len(kept)
    shares = [(w, share) for one, without in kept for w, share in _shares(one, without, value)]
    workers = len({worker for worker, _share in shares})
    workers = workers if people is None else min(workers, people)
    degrees = min(n, workers) - 1
    if workers < LEAST_WORKERS or degrees < 1:
        return Spread(value, None, degrees, n, least)
    if len({one for one, _without in kept}) == 1:
        return Spread(value, 0.0, degrees, n, least)
    bias = math.fsum(share for _worker, share in shares) / len(shares)  # fewer workers shift what is no mean
    by_worker: defaultdict[str, list[float]] = defaultdict(list)
    for worker, share in shares:
        by_worker[worker].append(share - bias)
    of_items = math.fsum((one - value) ** 2 for one, _without in kept) * n / (n - 1)
    of_workers = math.fsum(math.fsum(each) ** 2 for each in by_worker.values()) * workers / (workers - 1)
    in_both = math.fsum(share**2 for each in by_worker.values() for share in each)
    variance = max(of_items + of_workers - in_both, of_items) / n**2
    return Spread(value, math.sqrt(variance), degrees, n, least)


def _shares(value: float, without: Mapping[str, float | None], mean: float) -> Iterator[tuple[str, float]]:
    """What a unit's value changes without each of its workers; of the only one, what it is off the mean."""
    for worker, other in without.items():
        yield worker, value - (mean if other is None else other)


def _changed(total: float, n: int, rows: Sequence[tuple[float | None, float | None]]) -> float | None:
    """The mean of n values with sum `total` after replacing (old, new) `rows`; None if no value is left."""
    before = [old for old, _new in rows if old is not None]
    after = [new for _old, new in rows if new is not None]
    left = n - len(before) + len(after)
    return (total - math.fsum(before) + math.fsum(after)) / left if left else None


def clustered_variance(off: Floats, clusters: Integers) -> float:
    """The variance of a mean by the sums of its deviations within clusters; 0 for a single cluster."""
    sums = np.bincount(clusters, off)
    return float(np.sum(sums**2)) * len(sums) / (len(sums) - 1) if len(sums) > 1 else 0.0


def jackknife_variance(weights: Floats, weighted: Floats, workers: Integers) -> float:
    """The variance of a mean by leaving out one worker after the other."""
    left = weights.sum() - np.bincount(workers, weights)
    means = (weighted.sum() - np.bincount(workers, weighted)) / left
    return float(np.sum((means - means.mean()) ** 2)) * (len(means) - 1) / len(means)


@lru_cache(maxsize=2**14)  # levels of a p value are tried by bisection
def two_sided(level: float, degrees: int) -> float:
    """The two-sided quantile of Student's t: P(-t < T < t) = `level`, 0 <= level < 1."""
    if degrees < 1:
        raise ValueError("Student's t needs at least one degree of freedom")
    if not 0 <= level < 1:
        raise ValueError("the level lies between 0 and 1")
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _probability(middle, degrees) < level else (low, middle)
    return math.sqrt(degrees) * math.tan(low)


def student_below(t: float, degrees: int) -> float:
    """P(T < t) of Student's t."""
    inside = _probability(math.atan(abs(t) / math.sqrt(degrees)), degrees)
    return (1 + math.copysign(inside, t)) / 2


def _probability(angle: float, degrees: int) -> float:
    """The sum, for an angle whose tangent is t / sqrt(degrees)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = term if degrees > 1 else 0.0
    for k in range(2 + odd, degrees - 1, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
