"""Ratings of items by workers, in the forms that figures need, and what several ratings of one thing add up to.

Ratings are numbers (scale, number), labels (choice, best), frozensets of labels or words (choices, mark) or tuples of
labels from first to last (order).
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any, Final, NamedTuple

from annotation.pure.statistics.agreement import most_said
from annotation.pure.statistics.intervals import Figure


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
