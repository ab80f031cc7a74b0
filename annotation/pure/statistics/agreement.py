"""How far annotators agree beyond chance: Krippendorff's alpha, Fleiss' and Cohen's kappa, plain agreement.

A unit is what several people labelled; a missing label is None. Where a coefficient is undefined (nothing
to compare, or only one value in use so that chance explains everything) the answer is None: never 1, never
nan. Sources: Krippendorff 2011 (Computing Krippendorff's alpha-reliability), Fleiss 1971, Cohen 1960.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from annotation.pure.statistics.intervals import RESAMPLES, Figure, resampled_sums

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Array = npt.NDArray[np.float64]
T = TypeVar("T")

_RATIO_ROWS = 256  # values whose distances to all others are held at once


def krippendorff_alpha(units: Iterable[Sequence[Hashable | None]], level: Level = "nominal") -> float | None:
    """Alpha over units of labels, any number of labels a unit; levels above nominal take numbers."""
    labels, sizes = _pairable(units)
    if not labels:
        return None
    owner = np.repeat(np.arange(len(sizes)), sizes)
    weights = 1.0 / (np.repeat(np.array(sizes, dtype=np.float64), sizes) - 1)
    if level == "nominal":
        observed, expected = _nominal(_codes(labels), owner, weights)
    else:
        values = np.array(labels, dtype=np.float64)
        if level == "ordinal":
            values = _midranks(values)
        if level == "ratio":
            observed, expected = _ratio(values, owner, weights)
        else:
            observed, expected = _squared(values, owner, weights)
    return None if expected <= 0 else 1.0 - observed / expected


def alpha_figure(units: Iterable[Sequence[Hashable | None]], seed: int, *, resamples: int = RESAMPLES) -> Figure:
    """Nominal alpha with a 95 % percentile interval over resampled units; n counts units with a pair."""
    labels, sizes = _pairable(units)
    if not labels:
        return Figure(None, None, None, 0)
    codes, owner = _codes(labels), np.repeat(np.arange(len(sizes)), sizes)
    counts = np.zeros((len(sizes), int(codes.max()) + 1))
    np.add.at(counts, (owner, codes), 1.0)
    m = counts.sum(axis=1)
    differing = (m**2 - (counts**2).sum(axis=1)) / (m - 1)
    parts = np.column_stack([differing, counts])
    value = _alphas(parts.sum(axis=0, keepdims=True))[0]
    if np.isnan(value):
        return Figure(None, None, None, len(sizes))
    drawn = _alphas(resampled_sums(parts, seed, resamples=resamples))
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return Figure(float(value), float(low), float(high), len(sizes), "percentile")


def fleiss_kappa(counts: npt.ArrayLike) -> float | None:
    """Kappa of a (units × categories) table of counts with the same number of labels (>= 2) in every unit.

    ValueError where the numbers of labels differ: alpha is the coefficient for such tables.
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.size == 0:
        return None
    raters = table.sum(axis=1)
    if np.ptp(raters) > 0:
        raise ValueError("Fleiss' kappa needs the same number of labels in every unit")
    n = raters[0]
    if n < 2:
        return None
    observed = float(((table**2).sum(axis=1) - n).mean() / (n * (n - 1)))
    shares = table.sum(axis=0) / table.sum()
    return _beyond_chance(observed, float((shares**2).sum()))


def cohen_kappa(first: Sequence[Hashable | None], second: Sequence[Hashable | None]) -> float | None:
    """Kappa of two annotators over the same units in the same order; units either left out do not count."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        return None
    n = len(pairs)
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    by_chance = sum(count * right[label] for label, count in left.items()) / (n * n)
    return _beyond_chance(sum(a == b for a, b in pairs) / n, by_chance)


def percent_agreement(units: Iterable[Sequence[Hashable | None]]) -> float | None:
    """0..1: the share of agreeing pairs in a unit, averaged over the units with at least two labels."""
    shares = []
    for unit in units:
        labels = [label for label in unit if label is not None]
        if len(labels) > 1:
            agreeing = sum(count * (count - 1) for count in Counter(labels).values())
            shares.append(agreeing / (len(labels) * (len(labels) - 1)))
    return sum(shares) / len(shares) if shares else None


def _alphas(parts: Array) -> Array:
    """Nominal alpha of each row of (sum of differing, count of each label); nan where it is undefined."""
    totals = parts[:, 1:]
    n = totals.sum(axis=1)
    expected = (n**2 - (totals**2).sum(axis=1)) / (n - 1)
    expected[expected <= 0] = np.nan
    alphas: Array = 1.0 - parts[:, 0] / expected
    return alphas


def _beyond_chance(observed: float, by_chance: float) -> float | None:
    return None if 1.0 - by_chance < 1e-12 else (observed - by_chance) / (1.0 - by_chance)


def _pairable(units: Iterable[Sequence[T | None]]) -> tuple[list[T], list[int]]:
    """All labels of the units that have at least two, one after the other, and how many each unit has."""
    labels: list[T] = []
    sizes: list[int] = []
    for unit in units:
        own = [label for label in unit if label is not None]
        if len(own) > 1:
            labels += own
            sizes.append(len(own))
    return labels, sizes


def _codes(labels: list[Hashable]) -> npt.NDArray[np.int64]:
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)


# Each of these returns the sums of observed and of expected disagreement, on the same scale: over ordered
# pairs within a unit, each weighted by 1 / (labels in the unit - 1), and over all ordered pairs / (n - 1).


def _nominal(codes: npt.NDArray[np.int64], owner: npt.NDArray[np.int64], weights: Array) -> tuple[float, float]:
    n, kinds = len(codes), int(codes.max()) + 1
    _, first, counts = np.unique(owner * kinds + codes, return_index=True, return_counts=True)
    agreeing = float((counts * (counts - 1.0) * weights[first]).sum())
    totals = np.bincount(codes).astype(np.float64)
    return n - agreeing, float(n * n - (totals**2).sum()) / (n - 1)


def _squared(values: Array, owner: npt.NDArray[np.int64], weights: Array) -> tuple[float, float]:
    n = len(values)
    if np.ptp(values) == 0:
        return 0.0, 0.0
    centred = values - values.mean()  # keeps the differences of large numbers exact
    sizes = np.bincount(owner)
    means = np.bincount(owner, centred) / sizes
    inside = (centred - means[owner]) ** 2
    observed = 2.0 * float((inside * weights * sizes[owner]).sum())
    return observed, 2.0 * n * float((centred**2).sum()) / (n - 1)


def _midranks(values: Array) -> Array:
    """Ordinal distance is the squared difference of mid-ranks: labels below plus half of the equal ones."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - counts / 2
    found: Array = ranks[place]
    return found


def _ratio(values: Array, owner: npt.NDArray[np.int64], weights: Array) -> tuple[float, float]:
    distinct, counts = np.unique(values, return_counts=True)
    expected = 0.0
    for start in range(0, len(distinct), _RATIO_ROWS):
        block = _ratio_distance(distinct[start : start + _RATIO_ROWS, None], distinct[None, :])
        expected += float(counts[start : start + _RATIO_ROWS] @ block @ counts)
    observed = 0.0
    for shift in range(1, int(np.bincount(owner).max())):
        same = owner[shift:] == owner[:-shift]
        far = _ratio_distance(values[shift:][same], values[:-shift][same])
        observed += 2.0 * float((far * weights[shift:][same]).sum())
    return observed, expected / (len(values) - 1)


def _ratio_distance(one: Array, other: Array) -> Array:
    total = one + other
    with np.errstate(divide="ignore", invalid="ignore"):
        far: Array = np.where(total == 0, 0.0, ((one - other) / total) ** 2)
    return far
