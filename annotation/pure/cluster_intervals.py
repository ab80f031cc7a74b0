"""Rates over rows that belong together: the judgments of one graph, the shuffles of one question.

Rows of a cluster are resampled together, since they are alike: intervals that take each row for itself are too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

import numpy as np

from annotation.pure.intervals import RESAMPLES, Figure, bias_corrected, resampled_sums, wilson


def clustered_share(rows: Iterable[tuple[Hashable, float]], seed: int, *, resamples: int = RESAMPLES) -> Figure:
    """The mean of (cluster, value in 0..1) rows with a 95 % interval over clusters; n counts the rows.

    Wilson's interval where each row stands alone, and for as many rows as there are clusters where all values are 0
    or all 1.
    """
    sums: dict[Hashable, list[float]] = {}
    for cluster, value in rows:
        found = sums.setdefault(cluster, [0.0, 0.0])
        found[0] += value
        found[1] += 1
    table = np.array(list(sums.values())).reshape(-1, 2)
    total, n = (float(each) for each in table.sum(axis=0))
    if len(table) == n:
        return wilson(total, int(n))
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
