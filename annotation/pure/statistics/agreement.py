"""Agreement: Krippendorff's nominal alpha and percent agreement.

A unit is what several people labelled; a missing label is None. Where a coefficient is undefined (nothing
to compare, or only one value in use so that chance explains everything) the answer is None: never 1, never
nan. Source: Krippendorff 2011 (Computing Krippendorff's alpha-reliability).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from annotation.pure.statistics.intervals import RESAMPLES, Figure, resampled_sums

Array = npt.NDArray[np.float64]
T = TypeVar("T")


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
