"""Figures that are smooth functions of sums over items, with 95 % BCa intervals that resample items.

All figures of a table have the same draws. Items that add the same are drawn together: ten thousand items whose few
responses take few values cost no more than a hundred.
"""

from collections.abc import Callable
from typing import NamedTuple

from annotation.pure.numeric import ArrayLike, Floats, Integers, np
from annotation.pure.statistics.distance_agreement import RESAMPLES, UNDEFINED_DRAWS
from annotation.pure.statistics.intervals import Figure, bias_corrected, is_values_only, resampled_sums

STEP = 0.01  # of an item's weight, by which its influence on a figure is measured
Function = Callable[[Floats], Floats]  # from (rows × columns) of sums to (rows × figures), nan where undefined


class Resampled(NamedTuple):
    """The figures, and the largest number of draws that an interval leaves out because its figure is undefined."""

    figures: list[Figure]
    undefined: int


def resampled_figures(
    parts: ArrayLike, of: Function, seed: int, *, drawn: Function | None = None, resamples: int = RESAMPLES
) -> Resampled:
    """The figures `of` the column sums of `parts` (items × columns); n counts the items.

    `drawn`: the function for draws, if another one, as where two copies of a label are not two labels.
    No interval where no item changes the figure, where more than UNDEFINED_DRAWS of the draws are undefined, and
    where it would not contain its value.
    """
    table = np.asarray(parts, dtype=np.float64)
    total, n = table.sum(axis=0), len(table)
    values = of(total[None])[0]
    plain = [Figure(None if np.isnan(value) else float(value), None, None, n) for value in values]
    if is_values_only() or n < 2:
        return Resampled(plain, 0)
    kinds, kind, numbers = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    influence = ((values - of(total - STEP * kinds)) / STEP)[kind.ravel()]
    grouped = (kinds, numbers) if len(kinds) * 10 <= n else (table, None)
    draws = (drawn or of)(resampled_sums(table, seed, resamples=resamples, grouped=grouped))
    undefined = np.isnan(draws).sum(axis=0)
    figures = [
        figure if figure.value is None or undefined[k] > UNDEFINED_DRAWS * resamples
        else _with_interval(figure.value, n, draws[:, k], influence[:, k])
        for k, figure in enumerate(plain)
    ]  # fmt: skip
    return Resampled(figures, int(undefined.max(initial=0)))


def _with_interval(value: float, n: int, draws: Floats, influence: Floats) -> Figure:
    if np.ptp(influence) < 1e-9:
        return Figure(value, None, None, n)
    low, high = bias_corrected(draws[~np.isnan(draws)], value, influence - influence.mean())
    return Figure(value, low, high, n, "bca") if low <= value <= high else Figure(value, None, None, n)


def sums_by(codes: Integers, table: Floats) -> Floats:
    """(codes × columns): the sums of a table's rows of each code, as of the elements of each item."""
    return np.array([np.bincount(codes, column) for column in table.T]).T
