"""Percent agreement and most frequent labels.

A unit is the labels of one item by several workers; a missing label is None. Agreement is None where there is nothing
to compare.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from annotation.pure.numeric import Integers, np

L = TypeVar("L", bound=Hashable)


def percent_agreement(units: Iterable[Sequence[Hashable | None]]) -> float | None:
    """0..1: the share of agreeing pairs in a unit, averaged over the units with at least two labels."""
    shares = []
    for labels in _pairable(units):
        counts = [labels.count(label) for label in set(labels)]
        agreeing = sum(count * (count - 1) for count in counts)
        shares.append(agreeing / (len(labels) * (len(labels) - 1)))
    return sum(shares) / len(shares) if shares else None


def mean_disagreement(units: Iterable[Sequence[Hashable | None]]) -> float:
    """1 minus the percent agreement (0..1); 0 if there is nothing to compare."""
    agreed = percent_agreement(units)
    return 0.0 if agreed is None else 1 - agreed


def most_said(labels: Iterable[L]) -> L | None:
    """The most frequent label; None without labels or with a tie."""
    ranked = Counter(labels).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def most_frequent(values: Sequence[Any], key: Callable[[Any], Hashable]) -> tuple[Any, float]:
    """The first value with the most frequent key (of several keys, the first), and the share that have it."""
    keys = [key(value) for value in values]
    [(most, count)] = Counter(keys).most_common(1)
    return values[keys.index(most)], count / len(keys)


def label_codes(labels: Iterable[Hashable]) -> Integers:
    """Labels as integers from 0, in order of first appearance."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)


def _pairable(units: Iterable[Sequence[Hashable | None]]) -> list[list[Hashable]]:
    """The labels of the units that have at least two."""
    known = ([label for label in unit if label is not None] for unit in units)
    return [labels for labels in known if len(labels) > 1]
