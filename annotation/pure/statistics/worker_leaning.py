"""A worker's bias and spread: their ratings beside those of the others on the same items."""

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

from annotation.pure.numeric import np
from annotation.pure.statistics.agreement import label_codes
from annotation.pure.statistics.intervals import LEVEL, Figure
from annotation.pure.statistics.worker_intervals import clustered_variance, two_sided


class Leaning(NamedTuple):
    """Of one worker, over the units that others rated as well.

    `bias`: the mean of own ratings minus the mean of the others' (t interval over items, n counts the units);
    `spread`: the standard deviation of own ratings divided by that of the others', None if theirs are all equal.
    """

    bias: Figure
    spread: float | None


def leanings(units: Iterable[Mapping[str, float]], clusters: Iterable[Hashable] | None = None) -> dict[str, Leaning]:
    """The leaning of each worker who shares a unit; `clusters` names each unit's item, by default itself."""
    rows = list(units)
    shared: dict[str, list[tuple[Hashable, float, list[float]]]] = {}
    for item, unit in zip(range(len(rows)) if clusters is None else clusters, rows, strict=True):
        for worker, value in unit.items() if len(unit) > 1 else ():
            others = [other for name, other in unit.items() if name != worker]
            shared.setdefault(worker, []).append((item, value, others))
    return {worker: _leaning(own) for worker, own in sorted(shared.items())}


def _leaning(own: list[tuple[Hashable, float, list[float]]]) -> Leaning:
    values = np.array([value for _item, value, _others in own], dtype=np.float64)
    differences = values - [sum(others) / len(others) for _item, _value, others in own]
    bias, items = float(differences.mean()), label_codes(item for item, _value, _others in own)
    figure = Figure(bias, None, None, len(own))
    if items.max() > 0 and np.ptp(differences) > 0:
        error = math.sqrt(clustered_variance((differences - bias) / len(own), items))
        half = two_sided(LEVEL, int(items.max())) * error
        figure = Figure(bias, bias - half, bias + half, len(own), "t over items")
    theirs = float(np.std([other for _item, _value, others in own for other in others]))
    return Leaning(figure, float(values.std()) / theirs if theirs > 0 else None)
