"""Contrasts of arms, as they are and within strata, such as the positions at which workers did them."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Spread


class ArmResponse(NamedTuple):
    """A response in an arm. `position`: of the arm, from 1; `before`: items that the worker had done in all arms."""

    arm: str
    item: Hashable
    worker: str
    position: int
    before: int
    score: float  # 0 to 1


Stratum = Callable[[ArmResponse], Hashable]


def contrast(first: Sequence[ArmResponse], second: Sequence[ArmResponse], stratum: Stratum) -> Spread | None:
    """The first arm's score minus the second's: the mean over strata that both have of the difference of their means.

    So it does not change with how many responses an arm has in which stratum; with one stratum it is the difference
    of the means. Its variance is that over items plus that over workers minus that of single responses, of deviations
    from the mean of arm and stratum; n counts the responses. None without a common stratum; without an error where
    an arm has fewer than LEAST_WORKERS.
    """
    sides = [_by_stratum(first, stratum), _by_stratum(second, stratum)]
    shared = [name for name in sides[0] if name in sides[1]]
    if not shared:
        return None
    value, off = 0.0, list[tuple[ArmResponse, float]]()
    for sign, side in zip((1, -1), sides, strict=True):
        for name in shared:
            mean = fmean(row.score for row in side[name])
            value += sign * mean / len(shared)
            scale = sign / (len(shared) * len(side[name]))
            off += [(row, scale * (row.score - mean)) for row in side[name]]
    workers = min(len({row.worker for name in shared for row in side[name]}) for side in sides)
    degrees = min(workers, len({row.item for row, _off in off})) - 1
    if workers < LEAST_WORKERS or degrees < 1:
        return Spread(value, None, degrees, len(off), -1.0)
    of_items, of_workers = (_clustered((key, part) for key, part in keyed) for keyed in _keyed(off))
    single = math.fsum(part**2 for _row, part in off)
    variance = max(of_items + of_workers - single, of_items, of_workers)
    return Spread(value, math.sqrt(variance), degrees, len(off), -1.0)


def _by_stratum(rows: Iterable[ArmResponse], stratum: Stratum) -> dict[Hashable, list[ArmResponse]]:
    found: dict[Hashable, list[ArmResponse]] = {}
    for row in rows:
        found.setdefault(stratum(row), []).append(row)
    return found


def _keyed(off: Sequence[tuple[ArmResponse, float]]) -> tuple[list[tuple[Hashable, float]], ...]:
    return [(row.item, part) for row, part in off], [(row.worker, part) for row, part in off]


def _clustered(parts: Iterable[tuple[Hashable, float]]) -> float:
    """The variance of a sum by the sums of its parts within clusters."""
    sums: defaultdict[Hashable, float] = defaultdict(float)
    for key, part in parts:
        sums[key] += part
    return math.fsum(total**2 for total in sums.values()) * len(sums) / (len(sums) - 1)
