"""Means with their n and a 95 % interval.

BCa bootstrap (Efron 1987) over items: all annotations of an item are resampled together, and all columns
with the same draws, so that a column of differences between two systems is a paired comparison. Rows that belong
together, as the judgments of one graph or the shuffles of one question, are a cluster and resampled together too,
because they are correlated: intervals over single rows are too narrow.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from statistics import NormalDist

from annotation.pure.numeric import ArrayLike, Floats, Integers, np

LEVEL = 0.95
RESAMPLES = 9999
MANY = 10_000  # rows, from which on equal ones are drawn together
ITEMS_ONLY = "wilson, items only"  # method of an interval that cannot say anything of workers: all values are equal
_CELLS = 1_000_000  # item counts held at once while resampling: bounds the memory

_NORMAL = NormalDist()
_VALUES_ONLY = ContextVar("values_only", default=False)


@contextmanager
def values_only() -> Iterator[None]:
    """Within it nothing is resampled and figures have no bootstrap intervals: for reports that are computed often."""
    before = _VALUES_ONLY.set(True)
    try:
        yield
    finally:
        _VALUES_ONLY.reset(before)


def is_values_only() -> bool:
    return _VALUES_ONLY.get()


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over `n` items and its interval; None if it is undefined. `method` names the interval."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str = "undefined"

    def as_json(self) -> dict[str, float | int | bool | None]:
        mark = {"items_only": True} if self.method == ITEMS_ONLY else {}
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n, **mark}


def method_label(seed: int, resamples: int = RESAMPLES) -> str:
    """The description of the intervals of a report's figures."""
    return f"95 % BCa bootstrap over items, {resamples} resamples, seed {seed}; Wilson where all are 0 or all 1"


def bootstrap_figures(matrix: ArrayLike, seed: int, *, resamples: int = RESAMPLES) -> list[Figure]:
    """The mean and interval of each column of an (n items × k figures) matrix; nan is ignored.

    A column of equal values has no bootstrap interval; if they are 0 or 1, Wilson's interval is used.
    """
    table = np.asarray(matrix, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"expected items by figures, got {table.ndim} dimensions")
    columns = [column[~np.isnan(column)] for column in table.T]
    if is_values_only():
        return [Figure(float(column.mean()) if column.size else None, None, None, column.size) for column in columns]
    uneven = [k for k, column in enumerate(columns) if column.size and np.ptp(column) > 0]
    means = _resampled_means(table[:, uneven], seed=seed, resamples=resamples) if uneven else None
    figures = [_even_figure(column) for column in columns]
    for place, k in enumerate(uneven):
        assert means is not None
        figures[k] = _bca(columns[k], means[:, place])
    return figures


def bootstrap_figure(values: Sequence[float | None], seed: int, *, resamples: int = RESAMPLES) -> Figure:
    """One column: the mean of the values (None is left out) and its interval."""
    column = [[math.nan if value is None else value] for value in values]
    if not column:
        return Figure(None, None, None, 0)
    return bootstrap_figures(column, seed, resamples=resamples)[0]


def wilson(successes: float, n: float, *, level: float = LEVEL) -> Figure:
    """A share with its score interval (Wilson 1927); counts may be expected or effective ones. n = 0: undefined."""
    if n == 0:
        return Figure(None, None, None, 0)
    z = _NORMAL.inv_cdf((1 + level) / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if share == 0 else middle - half
    high = 1.0 if share == 1 else middle + half
    return Figure(share, low, high, round(n), "wilson")


def _even_figure(column: Floats) -> Figure:
    """The figure of a column without variance."""
    n = column.size
    if n == 0:
        return Figure(None, None, None, 0)
    value = float(column[0])
    return wilson(value * n, n) if value in (0.0, 1.0) else Figure(value, None, None, n)


def resampled_sums(
    table: Floats, seed: int, *, resamples: int = RESAMPLES, grouped: tuple[Floats, Integers | None] | None = None
) -> Floats:
    """(resamples × columns): column sums over as many rows as the table has, drawn with replacement.

    `grouped`: the table as `alike` has it, if that is known. Within `values_only` a single row, of the table itself.
    """
    if is_values_only():
        return np.asarray(table.sum(axis=0, keepdims=True), dtype=np.float64)
    rng = np.random.default_rng(seed)
    sums = np.empty((resamples, table.shape[1]))
    kinds, numbers = grouped or alike(table)
    rows = max(1, _CELLS // len(kinds))
    for start in range(0, resamples, rows):
        draws = min(start + rows, resamples) - start
        if numbers is None:
            counts = _draw_counts(rng, items=len(table), draws=draws)
        else:  # how often each kind of row is drawn has the same distribution as drawing row by row
            counts = rng.multinomial(len(table), numbers / len(table), size=draws).astype(np.float64)
        sums[start : start + draws] = counts @ kinds
    return sums


def alike(table: Floats) -> tuple[Floats, Integers | None]:
    """The different rows and how many there are of each, if there are many in all; else the table and None."""
    if len(table) >= MANY:
        kinds, numbers = np.unique(table, axis=0, return_counts=True)
        if len(kinds) * 10 <= len(table):
            return kinds, numbers
    return table, None


def _resampled_means(table: Floats, *, seed: int, resamples: int) -> Floats:
    """(resamples × columns): means ignoring nan; nan if a draw has no value."""
    missing = np.isnan(table)
    gaps = missing.any(axis=0)
    stacked = np.hstack([np.where(missing, 0.0, table), ~missing[:, gaps]])
    sums = resampled_sums(stacked, seed, resamples=resamples)
    counts = np.full((resamples, table.shape[1]), float(len(table)))
    counts[:, gaps] = sums[:, table.shape[1] :]
    counts[counts == 0] = np.nan
    return sums[:, : table.shape[1]] / counts


def _draw_counts(rng: "np.random.Generator", *, items: int, draws: int) -> Floats:
    """(draws × items): how often each item is in each resample."""
    chosen = rng.integers(0, items, size=(draws, items))
    chosen += np.arange(draws)[:, None] * items
    return np.bincount(chosen.ravel(), minlength=draws * items).reshape(draws, items).astype(np.float64)


def _bca(column: Floats, means: Floats) -> Figure:
    """For a mean the jackknife has a closed form."""
    value = float(column.mean())
    low, high = bias_corrected(means[~np.isnan(means)], value, column - value)
    return Figure(value, low, high, column.size, "bca")


def bias_corrected(drawn: Floats, value: float, influence: Floats) -> tuple[float, float]:
    """Bias-corrected and accelerated percentiles of resampled values; `influence` of each item on the value."""
    slack = 1e-12 * max(1.0, abs(value))  # equal means differ by rounding
    below = (np.count_nonzero(drawn < value - slack) + np.count_nonzero(drawn <= value + slack)) / 2
    edge = 0.5 / drawn.size
    bias = _NORMAL.inv_cdf(min(max(below / drawn.size, edge), 1 - edge))
    squares = float(np.sum(influence**2))
    acceleration = float(np.sum(influence**3)) / (6 * squares**1.5) if squares else 0.0
    ends = [_corrected(tail, bias, acceleration) for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)]
    low, high = np.quantile(drawn, ends)
    return float(low), float(high)


def _corrected(tail: float, bias: float, acceleration: float) -> float:
    """The percentile of the resampled means for one tail."""
    shifted = bias + _NORMAL.inv_cdf(tail)
    shrink = 1 - acceleration * shifted
    if shrink <= 0:  # beyond the formula's pole: the outermost resample
        return 1.0 if acceleration > 0 else 0.0
    return _NORMAL.cdf(bias + shifted / shrink)


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
