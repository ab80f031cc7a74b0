"""Scores of an experiment's arms: by position, by items done before, and the contrasts adjusted for position."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

from annotation.pure.data.example import JSON
from annotation.pure.reports.position_tables import IN_SITTING
from annotation.pure.reports.tables import table, text_cell
from annotation.pure.statistics.arm_contrasts import ArmResponse, Stratum, contrast
from annotation.pure.statistics.worker_intervals import Response, over_workers
from annotation.pure.text.translation_marks import gettext_noop as _

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
