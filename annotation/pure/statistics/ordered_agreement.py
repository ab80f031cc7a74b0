"""Agreement on numbers, on points of a scale and on marked words: Krippendorff's alpha and weighted kappa.

Alpha has the distances of Krippendorff 2011: squared differences of numbers (interval), or of the mean ranks that
values have among all ratings (ordinal). On marked words it is nominal, with a word of an item as a unit. All three are
1 - D_o / D_e of squared differences, so that sums over items suffice for intervals, which resample items.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from annotation.pure.numeric import Floats, Integers, np
from annotation.pure.statistics.agreement import label_codes
from annotation.pure.statistics.distance_agreement import RESAMPLES, UNDEFINED, Alpha
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.resampled_figures import Function, resampled_figures, sums_by

Units = Iterable[Mapping[str, float]]  # an element's ratings by worker
Clusters = Iterable[Hashable] | None  # each unit's item; None: itself


class MarkedUnit(NamedTuple):
    """A text of `words` words in which workers marked some, by worker; `item` is what it belongs to."""

    item: Hashable
    words: int
    marked: Mapping[str, frozenset[Hashable]]


class Kappa(NamedTuple):
    """Cohen's kappa with weights by squared and by absolute differences, each with its interval over items."""

    quadratic: Figure
    linear: Figure


def alpha_of_numbers(
    units: Units, seed: int, *, ordinal: bool = False, clusters: Clusters = None, resamples: int = RESAMPLES
) -> Alpha:
    """Interval or ordinal alpha of ratings by worker; undefined if only one value occurs. n counts the units.

    Intervals resample items; they keep the ranks of all ratings.
    """
    named = enumerate(units) if clusters is None else zip(clusters, units, strict=True)
    kept = [(cluster, unit) for cluster, unit in named if len(unit) > 1]
    if not kept:
        return UNDEFINED
    values = np.array([value for _cluster, unit in kept for value in unit.values()], dtype=np.float64)
    owner = np.repeat(np.arange(len(kept)), [len(unit) for _cluster, unit in kept])
    workers = label_codes(worker for _cluster, unit in kept for worker in unit)
    parts = _parts(values, owner, ordinal=ordinal)
    items = label_codes(cluster for cluster, _unit in kept)
    without = []
    for worker in range(int(workers.max()) + 1):
        left = workers != worker
        paired = left & (np.bincount(owner[left], minlength=len(kept)) > 1)[owner]
        without.append(_parts(values[paired], owner[paired], ordinal=ordinal).sum(axis=0))
    return _alpha(parts, items, np.array(without), seed, resamples)


def alpha_of_words(units: Iterable[MarkedUnit], seed: int, *, resamples: int = RESAMPLES) -> Alpha:
    """Nominal alpha of marked and unmarked words of the units that two workers or more were asked for.

    n counts the words. Undefined if no word or every word is marked.
    """
    kept = [unit for unit in units if len(unit.marked) > 1 and unit.words]
    if not kept:
        return UNDEFINED
    parts = np.array([_parts_of_words(unit) for unit in kept])
    workers = {worker: k for k, worker in enumerate(dict.fromkeys(w for unit in kept for w in unit.marked))}
    without = np.tile(parts.sum(axis=0), (len(workers), 1))
    for unit, part in zip(kept, parts, strict=True):
        for worker in unit.marked:
            others = {name: marked for name, marked in unit.marked.items() if name != worker}
            without[workers[worker]] += _parts_of_words(unit._replace(marked=others)) - part
    found = _alpha(parts, label_codes(unit.item for unit in kept), without, seed, resamples)
    n = sum(unit.words for unit in kept)
    return Alpha(replace(found.figure, n=n), found.without, found.undefined)


def weighted_kappa(units: Units, seed: int, *, clusters: Clusters = None) -> Kappa | None:
    """Weighted kappa of two workers (Cohen 1968); None unless the same two rated every unit. n counts the items."""
    rows = list(units)
    pair = sorted(rows[0]) if rows else []
    if len(pair) != 2 or any(unit.keys() != set(pair) for unit in rows):
        return None
    given = np.array([[unit[worker] for worker in pair] for unit in rows], dtype=np.float64)
    points, codes = np.unique(given, return_inverse=True)
    first, second = (np.eye(len(points))[column] for column in codes.reshape(given.shape).T)
    span = max(np.ptp(points), 1e-300)
    apart, met = np.abs(points[:, None] - points) / span, np.abs(given[:, 0] - given[:, 1]) / span
    parts = np.hstack([met[:, None] ** 2, met[:, None], first, second])
    items, k = label_codes(range(len(rows)) if clusters is None else clusters), len(points)

    def of(sums: Floats) -> Floats:
        one, other = sums[:, 2 : 2 + k], sums[:, 2 + k :]
        n = one.sum(axis=1)
        expected = np.array([((one @ weights) * other).sum(axis=1) for weights in (apart**2, apart)]).T
        return _one_minus(sums[:, :2] * n[:, None], expected)

    return Kappa(*resampled_figures(sums_by(items, parts), of, seed).figures)


def _parts(values: Floats, owner: Integers, *, ordinal: bool) -> Floats:
    """(units × 4): disagreement over ordered pairs by labels less one, number, sum and sum of squares of a unit."""
    _seen, code, counts = np.unique(values, return_inverse=True, return_counts=True)
    if ordinal:
        values = (np.cumsum(counts) - counts / 2)[code]
    values = (values - values.mean()) / values.std() if len(counts) > 1 else 0 * values
    n, total, squares = (np.bincount(owner, weights) for weights in (None, values, values**2))
    observed = np.maximum(0, 2 * (n * squares - total**2)) / np.maximum(1, n - 1)
    return np.array([observed, n, total, squares]).T


def _parts_of_words(unit: MarkedUnit) -> list[float]:
    """As `_parts` of a word's labels, 1 if it is marked and else 0, summed over the unit's words."""
    m = len(unit.marked)
    if m < 2:
        return [0.0] * 4
    counts = Counter(word for marked in unit.marked.values() for word in marked)
    observed = sum(2 * count * (m - count) for count in counts.values()) / (m - 1)
    return [observed, m * unit.words, counts.total(), counts.total()]


def _alpha(parts: Floats, items: Integers, without: Floats, seed: int, resamples: int) -> Alpha:
    """Alpha of (units × 4) parts, its interval over items, and its range over sums without each worker."""
    table = sums_by(items, parts)
    copies = 2 - 1 / len(table)  # of a label that is drawn: two of its copies are no two labels that happen to be alike
    found = resampled_figures(table, _of_sums(1), seed, drawn=_of_sums(copies), resamples=resamples)
    [figure] = found.figures
    if figure.value is None:
        return Alpha(Figure(None, None, None, len(parts)), Figure(None, None, None, len(without)))
    if np.ptp(table[:, 0] / table[:, 1]) < 1e-9:  # workers agree equally in all items
        figure = Figure(figure.value, None, None, 0)
    ends = [end for end in _of_sums(1)(without)[:, 0].tolist() if not math.isnan(end)]
    low, high = (min(*ends, figure.value), max(*ends, figure.value)) if ends else (None, None)
    bounds = Figure(figure.value, low, high, len(without), "without one worker")
    return Alpha(replace(figure, n=len(parts)), bounds, found.undefined)


def _of_sums(copies: float) -> Function:
    def of(sums: Floats) -> Floats:
        observed, n, total, squares = sums.T
        expected = 2 * (n * squares - total**2) / np.maximum(1, n - copies)
        return _one_minus(observed, expected)[:, None]

    return of


def _one_minus(observed: Floats, expected: Floats) -> Floats:
    """1 - observed / expected, nan where nothing is expected to differ."""
    found: Floats = 1 - np.divide(observed, expected, out=np.full(expected.shape, np.nan), where=expected > 1e-9)
    return found
