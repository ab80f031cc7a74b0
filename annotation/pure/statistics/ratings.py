"""Ratings of items by workers, in the forms that figures need; what several of one thing add up to; shares and means.

Ratings are numbers (scale, number), labels (choice, best), frozensets of labels or words (choices, mark) or tuples of
labels from first to last (order).

A cell is what one response adds for one item: of each figure the sum of its values, 0..1, and their number. The share
of all elements of items is a ratio of sums; beside it stands the mean over items of the item's share. Intervals
resample items, for these workers, or are over workers and items (`worker_intervals`), from seven workers on.

A worker's bias and spread compare their ratings with those of the others on the same items.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Final, NamedTuple

from annotation.pure.numeric import Floats, Integers, np
from annotation.pure.statistics.agreement import label_codes, most_said, percent_agreement
from annotation.pure.statistics.intervals import LEVEL, Figure, wilson
from annotation.pure.statistics.resampled_figures import resampled_figures, sums_by
from annotation.pure.statistics.worker_intervals import (
    LEAST_WORKERS,
    Spread,
    clustered_variance,
    jackknife_variance,
    two_sided,
)


class Rating(NamedTuple):
    """A worker's rating of an item, or of an `element` of it, such as a passage."""

    item: Hashable
    worker: str
    value: Any
    element: int | None = None


def units_of(ratings: Iterable[Rating]) -> tuple[list[dict[str, Any]], list[Hashable]]:
    """The ratings of each element by worker, and each element's item: units and clusters of an alpha."""
    units: dict[tuple[Hashable, Hashable], dict[str, Any]] = {}
    for item, worker, value, element in ratings:
        units.setdefault((item, element), {})[worker] = value
    return list(units.values()), [item for item, _element in units]


def aggregated(kind: str, values: Sequence[Any]) -> Any:
    """What ratings of one thing add up to, None if they are tied or there are none; `kind` is one of AGGREGATES."""
    return AGGREGATES[kind](values) if values else None


def middle(values: Sequence[float]) -> float:
    """The median, of an even number the mean of the middle two; whole numbers stay whole."""
    found = median(values)
    return int(found) if float(found).is_integer() else found


def more_than_half(sets: Sequence[frozenset[Hashable]]) -> frozenset[Hashable]:
    """What is in more than half of the sets."""
    counts = Counter(each for one in sets for each in one)
    return frozenset(each for each, count in counts.items() if 2 * count > len(sets))


def order_by_mean_rank(orders: Sequence[Sequence[Hashable]]) -> tuple[Hashable, ...] | None:
    """All that is in the orders by its mean rank (as in Borda's count); None if two have the same."""
    ranks: dict[Hashable, list[int]] = {}
    for order in orders:
        for rank, each in enumerate(order):
            ranks.setdefault(each, []).append(rank)
    means = {each: sum(own) / len(own) for each, own in ranks.items()}
    return tuple(sorted(means, key=lambda each: means[each])) if len(set(means.values())) == len(means) else None


AGGREGATES: Final[Mapping[str, Callable[[Sequence[Any]], Any]]] = {
    "scale": middle,
    "number": middle,
    "choice": most_said,
    "best": most_said,
    "choices": more_than_half,
    "mark": more_than_half,
    "order": order_by_mean_rank,
}


def rescaled(figure: Figure, low: float, high: float) -> Figure:
    """A figure in 0..1 on the scale from `low` to `high`."""
    ends = [None if end is None else low + (high - low) * end for end in (figure.value, figure.low, figure.high)]
    return replace(figure, value=ends[0], low=ends[1], high=ends[2])


Score = Callable[[Any], Sequence[float]]  # a rating's value for each figure, 0..1
Row = tuple[Hashable, str, Sequence[float], Sequence[float]]  # item, worker, values of figures, numbers of these


class Estimate(NamedTuple):
    """A figure with its interval over items, for these workers, and its spread over workers and items."""

    figure: Figure
    spread: Spread | None  # None without a value


@dataclass(frozen=True, slots=True)
class Share:
    """A share or mean over all elements, and over items, with the numbers of those who were asked."""

    of_elements: Estimate
    of_items: Estimate
    items: int
    workers: int
    responses: int


def rating_shares(ratings: Iterable[Rating], score: Score, seed: int) -> list[Share]:
    """The figures of ratings by their scores, such as the share of each label: `lambda x: [x == y for y in labels]`."""
    known: dict[Hashable, Sequence[float]] = {}
    rows = []
    for item, worker, value, _element in ratings:
        if value not in known:
            known[value] = score(value)
        rows.append((item, worker, known[value], [1.0] * len(known[value])))
    return shares(rows, seed)


def pair_agreement(ratings: Iterable[Rating], seed: int) -> Figure:
    """The share of pairs of ratings of an element that are equal, the mean over elements; n counts the items."""
    rows = [
        (item, "", [agreed], [1.0])
        for unit, item in zip(*units_of(ratings), strict=True)
        if (agreed := percent_agreement([list(unit.values())])) is not None
    ]
    return shares(rows, seed)[0].of_elements.figure if rows else Figure(None, None, None, 0)


class Cells(NamedTuple):
    """Of each cell the item and the worker as codes, and (cells × figures) the sums of values and their numbers."""

    items: Integers
    workers: Integers
    totals: Floats
    numbers: Floats


def shares(rows: Iterable[Row], seed: int) -> list[Share]:
    """The figures of rows; those of the same item and worker are one cell. [] without rows."""
    given = list(rows)
    if not given:
        return []
    cells = _cells(given)
    totals, numbers = (sums_by(cells.items, each) for each in (cells.totals, cells.numbers))
    both = [(totals, numbers), (_ratio(totals, numbers, empty=0.0), (numbers > 0).astype(np.float64))]
    values, of = (np.hstack([pair[side] for pair in both]) for side in (0, 1))
    figures = _figures(values, of, seed)
    each_item = np.where(numbers > 0, 1 / np.maximum(1, numbers), 0)[cells.items]
    found = []
    for k in range(totals.shape[1]):
        asked = cells.numbers[:, k] > 0
        spreads = [spread_of_cells(cells, k, weights) for weights in (asked.astype(np.float64), each_item[:, k])]
        of_elements, of_items = map(Estimate, figures[k :: totals.shape[1]], spreads)
        workers, responses = len(np.unique(cells.workers[asked])), int(cells.numbers[:, k].sum())
        found.append(Share(of_elements, of_items, of_items.figure.n, workers, responses))
    return found


def spread_of_cells(cells: Cells, k: int, weights: Floats) -> Spread | None:
    """The spread of figure k, Σ weight · total / Σ weight · number over cells; None without any.

    Its variance is that over items plus that over workers (jackknife) minus that of cells, which are in both, and at
    least the larger of the two.
    """
    kept = cells.numbers[:, k] > 0
    if not kept.any():
        return None
    totals, numbers = cells.totals[kept, k], cells.numbers[kept, k]
    item, worker = (np.unique(codes[kept], return_inverse=True)[1] for codes in (cells.items, cells.workers))
    weight, weighted = weights[kept] * numbers, weights[kept] * totals
    value, n, people = float(weighted.sum() / weight.sum()), int(item.max()) + 1, int(worker.max()) + 1
    degrees = min(n, people) - 1
    if people < LEAST_WORKERS or degrees < 1:
        return Spread(value, None, degrees, n)
    if np.ptp(totals / numbers) < 1e-12:
        return Spread(value, 0.0, degrees, n)
    off = (weighted - value * weight) / weight.sum()
    of_items, of_workers = clustered_variance(off, item), jackknife_variance(weight, weighted, worker)
    of_cells = clustered_variance(off, np.arange(len(off)))
    return Spread(value, math.sqrt(max(of_items + of_workers - of_cells, of_items, of_workers)), degrees, n)


def _cells(rows: Sequence[Row]) -> Cells:
    items, workers = label_codes(row[0] for row in rows), label_codes(row[1] for row in rows)
    people = int(workers.max()) + 1
    pairs, cell = np.unique(items * people + workers, return_inverse=True)
    totals, numbers = (np.array([row[k] for row in rows], dtype=np.float64) for k in (2, 3))
    return Cells(pairs // people, pairs % people, sums_by(cell.ravel(), totals), sums_by(cell.ravel(), numbers))


def _ratio(totals: Floats, numbers: Floats, empty: float = math.nan) -> Floats:
    found: Floats = np.divide(totals, numbers, out=np.full(totals.shape, empty), where=numbers > 0)
    return found


def _figures(totals: Floats, numbers: Floats, seed: int) -> list[Figure]:
    """Ratios of sums with their intervals over items: Wilson's where all values are 0 or all 1."""
    k = totals.shape[1]
    found = resampled_figures(np.hstack([totals, numbers]), lambda sums: _ratio(sums[:, :k], sums[:, k:]), seed)
    return [
        _even(figure, int(np.count_nonzero(number))) for figure, number in zip(found.figures, numbers.T, strict=True)
    ]


def _even(figure: Figure, n: int) -> Figure:
    if figure.value in (0.0, 1.0):
        return wilson(figure.value * n, n)
    return replace(figure, n=n)


class Leaning(NamedTuple):
    """Of one worker, over the units that others rated as well.

    `bias`: the mean of own ratings minus the mean of the others' (t interval over items, n counts the units);
    `spread`: the standard deviation of own ratings divided by that of the others', None if theirs are all equal.
    """

    bias: Figure
    spread: float | None


def leanings(units: Iterable[Mapping[str, float]], clusters: Iterable[Hashable] | None = None) -> dict[str, Leaning]:
    """The leaning of each worker who shares a unit; `clusters` names each unit's item, by default itself."""
    rows = list(units)
    shared: dict[str, list[tuple[Hashable, float, list[float]]]] = {}
    for item, unit in zip(range(len(rows)) if clusters is None else clusters, rows, strict=True):
        for worker, value in unit.items() if len(unit) > 1 else ():
            others = [other for name, other in unit.items() if name != worker]
            shared.setdefault(worker, []).append((item, value, others))
    return {worker: _leaning(own) for worker, own in sorted(shared.items())}


def _leaning(own: list[tuple[Hashable, float, list[float]]]) -> Leaning:
    values = np.array([value for _item, value, _others in own], dtype=np.float64)
    differences = values - [sum(others) / len(others) for _item, _value, others in own]
    bias, items = float(differences.mean()), label_codes(item for item, _value, _others in own)
    figure = Figure(bias, None, None, len(own))
    if items.max() > 0 and np.ptp(differences) > 0:
        error = math.sqrt(clustered_variance((differences - bias) / len(own), items))
        half = two_sided(LEVEL, int(items.max())) * error
        figure = Figure(bias, bias - half, bias + half, len(own), "t over items")
    theirs = float(np.std([other for _item, _value, others in own for other in others]))
    return Leaning(figure, float(values.std()) / theirs if theirs > 0 else None)
