"""Scores of an experiment's arms as tables, and the contrasts of arms, as they are and within strata."""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from annotation.pure.data.example import JSON
from annotation.pure.reports.position_tables import IN_SITTING
from annotation.pure.reports.tables import table, text_cell
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Response, Spread, over_workers
from annotation.pure.text.translation_marks import gettext_noop as _


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


BY_POSITION = _("Arms by position")
BY_ITEMS = _("Arms by items done before")
CONTRASTS = _("Contrasts of arms")
SCORED = _("Score: the mean grade of responses against gold, with a 95 % interval over workers and items.")
OF_POSITION = _("First, second, … of the arms that a worker did, in the order that they drew.")
OF_ITEMS = _("The first, second, … response of a worker, counted over all arms.")
OF_CONTRASTS = _(
    "The score of the first arm minus that of the second, for tasks of one kind. Adjusted for position: the mean, over "
    "the positions that both arms have, of the difference there. Each interval is a 95 % interval over workers and "
    "items, none is corrected for the number of contrasts, and none is given where an arm has fewer than seven workers."
)


def arm_tables(rows: Sequence[ArmResponse], arms: Sequence[tuple[str, str]]) -> list[JSON]:
    """Tables of graded responses; `arms` are (name, task) in order. None without responses."""
    if not rows:
        return []
    names = [name for name, _task in arms]
    last = max(row.position for row in rows)
    found = [_by(BY_ITEMS, "arms-by-items", _("Response"), OF_ITEMS, rows, names, range_of)]
    if last > 1:
        found.insert(0, _by(BY_POSITION, "arms-by-position", _("Position"), OF_POSITION, rows, names, position_of))
    pairs = [(one, other) for (one, task), (other, same) in combinations(arms, 2) if task == same]
    return [*found, _contrasts(rows, pairs)] if pairs else found


def position_of(row: ArmResponse) -> int:
    return row.position


def range_of(row: ArmResponse) -> str:
    """The range of the response among those of its worker, as text."""
    first, last = next(ends for ends in IN_SITTING if ends[1] is None or row.before < ends[1])
    return f"{first}+" if last is None else f"{first}–{last}"


def _by(
    title: str, name: str, column: str, what: str, rows: Sequence[ArmResponse], arms: Iterable[str], stratum: Stratum
) -> JSON:
    """A row for each arm and stratum with responses, in order."""
    lines = []
    for arm in arms:
        own = sorted((row for row in rows if row.arm == arm), key=lambda row: (row.position, row.before))
        by_name: dict[Hashable, list[ArmResponse]] = {}
        for row in sorted(own, key=lambda row: row.before) if stratum is range_of else own:
            by_name.setdefault(stratum(row), []).append(row)
        lines += [[arm, part, len(some), _score(some)] for part, some in by_name.items()]
    columns = (_("Arm"), column, _("Responses"), _("Score"))
    return table(name, title, columns, lines, [what, SCORED], leads=False, bars=False, in_order=True)


def _score(rows: Iterable[ArmResponse]) -> JSON:
    return over_workers(Response(row.item, row.worker, row.score) for row in rows).as_json()


def _contrasts(rows: Sequence[ArmResponse], pairs: Iterable[tuple[str, str]]) -> JSON:
    strata: list[Stratum] = [lambda _row: None, position_of]
    lines = []
    for one, other in pairs:
        first, second = ([row for row in rows if row.arm == arm] for arm in (one, other))
        spreads = [contrast(first, second, stratum) for stratum in strata]
        label = text_cell(_("%(one)s − %(other)s"), one=one, other=other)
        lines.append([label, *(spread.figure().as_json() if spread else None for spread in spreads)])
    columns = (_("Contrast"), _("As it is"), _("Adjusted for position"))
    return table("arm-contrasts", CONTRASTS, columns, lines, [OF_CONTRASTS], leads=False, bars=False)
