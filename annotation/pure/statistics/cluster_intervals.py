"""Rates over rows that belong together: the judgments of one graph, the shuffles of one question.

Rows of a cluster are resampled together, because they are correlated: intervals over single rows are too narrow.
"""

import math
from collections.abc import Hashable, Iterable

from annotation.pure.numeric import Floats, np
from annotation.pure.statistics.intervals import (
    RESAMPLES,
    Figure,
    bias_corrected,
    bootstrap_figure,
    resampled_sums,
    wilson,
)

Row = tuple[Hashable, float]


def clustered_share(rows: Iterable[Row], seed: int, *, resamples: int = RESAMPLES) -> Figure:
    """The mean of (cluster, value) rows with a 95 % interval over clusters; values are 0 or 1, or chances of 1.

    n counts the rows. Wilson's interval if every cluster has a single row, and, with the number of clusters as n, if
    all values are 0 or all 1.
    """
    table = _sums(rows)
    total, n = (float(each) for each in table.sum(axis=0))
    return wilson(total, int(n)) if len(table) == n else _resampled(table, seed, resamples)


def clustered_mean(rows: Iterable[Row], seed: int, *, resamples: int = RESAMPLES) -> Figure:
    """Like `clustered_share` for scores in 0..1; a bootstrap over rows if every cluster has a single row."""
    table = _sums(rows)
    if len(table) == table[:, 1].sum():
        return bootstrap_figure(list(table[:, 0]), seed, resamples=resamples)
    return _resampled(table, seed, resamples)


def _sums(rows: Iterable[Row]) -> Floats:
    """(clusters × 2): the sum of a cluster's values, and how many rows it has."""
    sums: dict[Hashable, list[float]] = {}
    for cluster, value in rows:
        pair = sums.setdefault(cluster, [0.0, 0.0])
        pair[0] += value
        pair[1] += 1
    return np.array(list(sums.values()), dtype=np.float64).reshape(-1, 2)


def _resampled(table: Floats, seed: int, resamples: int) -> Figure:
    total, n = (float(each) for each in table.sum(axis=0))
    value = total / n
    if value in (0.0, 1.0):
        alone = wilson(value * len(table), len(table))
        return Figure(value, alone.low, alone.high, int(n), "wilson")
    off = table[:, 0] - value * table[:, 1]
    if len(table) < 2 or math.isclose(float(np.ptp(off)), 0.0, abs_tol=1e-12):
        return Figure(value, None, None, int(n))
    drawn = resampled_sums(table, seed, resamples=resamples)
    low, high = bias_corrected(drawn[:, 0] / drawn[:, 1], value, off)
    return Figure(value, low, high, int(n), "bca")
