"""Tables of exclusions: counts of HITs and answers by reason, and figures with and without them.

Tables are JSON as in annotation/pure/reports/tables.py; titles, notes and columns are gettext ids.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports import tables
from annotation.pure.reports.tables import text_cell
from annotation.pure.text.translation_marks import gettext_noop as _

WITH_EXCLUDED = "with-excluded-"  # before the names of tables that count excluded HITs too
COUNTED = _("with the excluded HITs")


def counts(excluded: Iterable[tuple[str, int]]) -> list[list[Any]]:
    """[reason, HITs, answers] of excluded HITs, given as (reason, answers) each, in the order of their reasons."""
    hits: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    for reason, number in excluded:
        hits[reason] += 1
        answers[reason] += number
    return [[reason, hits[reason], answers[reason]] for reason in sorted(hits)]


def left_out(counted: Sequence[Sequence[Any]]) -> list[JSON]:
    """A sentence on how many answers are left out with excluded HITs; none if there are none."""
    hits, answers = (sum(row[k] for row in counted) for k in (1, 2))
    if not answers:
        return []
    counted_answers = tables.counted(answers, _("one response"), _("%(n)s responses"))
    counted_hits = tables.counted(hits, _("to one excluded HIT"), _("to %(n)s excluded HITs"))
    return [
        tables.as_sentence(_("Not counted here: %(answers)s %(hits)s."), answers=counted_answers, hits=counted_hits)
    ]


def count_table(counted: Sequence[Sequence[Any]]) -> JSON:
    """Numbers of excluded HITs and responses by reason."""
    rows = [list(row) for row in counted]
    if len(rows) > 1:
        rows.append([text_cell(_("all")), sum(row[1] for row in rows), sum(row[2] for row in rows)])
    note = _(
        "Excluding a whole HIT removes its responses from the figures. Rejecting or excluding a single response and "
        "adjudicating do not. Responses of visits that do not count are left out as well."
    )
    columns = [_("Reason"), _("HITs"), _("Responses")]
    return tables.table("excluded", _("Excluded"), columns, rows, note, leads=False, bars=False)


def tables_with_excluded(own: Sequence[JSON], counting: Sequence[JSON]) -> list[JSON]:
    """The tables that change when excluded HITs are counted, with these counted."""
    changed = [table for table in counting if table not in own and table["name"] != "not-counted"]
    return [{**table, "name": WITH_EXCLUDED + table["name"], "variant": COUNTED, "leads": False} for table in changed]


def before_and_after(own: Sequence[JSON], counting: Sequence[JSON]) -> list[JSON]:
    """A table of each figure before and after exclusion, of the first table of figures that excluded HITs change."""
    before = {table["name"]: table for table in counting}
    for table in own:
        other = before.get(table["name"])
        if other is None or other == table:
            continue
        rows = [
            [row[0], text_cell(table["columns"][k]), was[k], row[k]]
            for row, was in _same_rows(table, other)
            for k in range(len(row))
            if tables.is_figure(row[k]) and tables.is_figure(was[k])
        ]
        if rows:
            columns = [table["columns"][0], _("Figure"), _("Before exclusion"), _("After exclusion")]
            note = _("All responses to excluded HITs are in the figures before, none in those after.")
            title = _("Before and after exclusion")
            return [tables.table("before-and-after", title, columns, rows, note, leads=False, bars=False)]
    return []


def _same_rows(table: JSON, other: JSON) -> list[tuple[Sequence[Any], Sequence[Any]]]:
    """Rows of both tables with the same first cell, which is in each table once."""
    names = [Counter(tables.cell_text(row[0]) for row in one["rows"]) for one in (table, other)]
    rows = {tables.cell_text(row[0]): row for row in other["rows"]}
    keys = [(row, tables.cell_text(row[0])) for row in table["rows"]]
    return [(row, rows[key]) for row, key in keys if key in rows and all(count[key] == 1 for count in names)]


def study_rows(
    without: Mapping[str, Any], counting: Mapping[str, Any], cells: Callable[[JSON], list[JSON]]
) -> list[list[Any]]:
    """Two rows for each dataset with excluded HITs: its figures without and with them."""
    return [
        [name, text_cell(words), content["datasets"][name]["n"], content["k"], *cells(content["datasets"][name])]
        for name, study in counting["datasets"].items()
        if study["n"] != without["datasets"][name]["n"]
        for words, content in ((_("without the excluded HITs"), without), (COUNTED, counting))
    ]
