"""Agreement: Krippendorff's nominal alpha and percent agreement.

A unit is the labels of one item by several workers; a missing label is None. A coefficient that is undefined
(nothing to compare, or only one value in use, so that chance explains everything) is None, never 1 or nan.
Source: Krippendorff 2011 (Computing Krippendorff's alpha-reliability).
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from annotation.pure.numeric import Floats, Integers, np
from annotation.pure.statistics.intervals import RESAMPLES, Figure, resampled_sums

L = TypeVar("L", bound=Hashable)


def alpha_figure(units: Iterable[Sequence[Hashable | None]], seed: int, *, resamples: int = RESAMPLES) -> Figure:
    """Nominal alpha with a 95 % percentile interval over resampled units; n counts units with a pair."""
    paired = _pairable(units)
    if not paired:
        return Figure(None, None, None, 0)
    codes = label_codes(label for labels in paired for label in labels)
    owner = np.repeat(np.arange(len(paired)), [len(labels) for labels in paired])
    counts = np.zeros((len(paired), int(codes.max()) + 1))
    np.add.at(counts, (owner, codes), 1.0)
    m = counts.sum(axis=1)
    differing = (m**2 - (counts**2).sum(axis=1)) / (m - 1)
    parts = np.column_stack([differing, counts])
    value = _alphas(parts.sum(axis=0, keepdims=True))[0]
    if np.isnan(value):
        return Figure(None, None, None, len(paired))
    drawn = _alphas(resampled_sums(parts, seed, resamples=resamples))
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return Figure(float(value), float(low), float(high), len(paired), "percentile")


def percent_agreement(units: Iterable[Sequence[Hashable | None]]) -> float | None:
    """0..1: the share of agreeing pairs in a unit, averaged over the units with at least two labels."""
    shares = []
    for labels in _pairable(units):
        agreeing = sum(count * (count - 1) for count in Counter(labels).values())
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


def label_codes(labels: Iterable[Hashable]) -> Integers:
    """Labels as integers from 0, in order of first appearance."""
    seen: dict[Hashable, int] = {}
    return np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)


def _alphas(parts: Floats) -> Floats:
    """Nominal alpha of each row of (sum of differing, count of each label); nan if it is undefined."""
    totals = parts[:, 1:]
    n = totals.sum(axis=1)
    expected = (n**2 - (totals**2).sum(axis=1)) / (n - 1)
    expected[expected <= 0] = np.nan
    alphas: Floats = 1.0 - parts[:, 0] / expected
    return alphas


def _pairable(units: Iterable[Sequence[Hashable | None]]) -> list[list[Hashable]]:
    """The labels of the units that have at least two."""
    known = ([label for label in unit if label is not None] for unit in units)
    return [labels for labels in known if len(labels) > 1]
