"""Tables of reports on labels: every label's share, agreement, and what each worker said. The report page shows them.

A unit is what several people gave one label each, by worker: an edge, a HIT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from annotation.pure import tables
from annotation.pure.intervals import wilson
from annotation.pure.judging_tables import WITHOUT_ONE, agreement_columns, alpha_row, raw_agreement_row
from annotation.pure.words import gettext_noop as _
from annotation.tasktype import JSON, Judged

Units = Sequence[Mapping[str, Hashable]]
INTERVALS = _("Shares with 95 % Wilson intervals; agreement with 95 % bootstrap intervals over units")
UNANSWERED = _("no answer yet")


def table(name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> JSON:
    """A table as the report page takes it; titles, notes and columns are gettext ids."""
    return {"name": name, "title": title, "note": note, "columns": list(columns), "rows": [list(row) for row in rows]}


def said(message: str, **values: Any) -> JSON:
    """A cell or a sentence that is translated when it is shown."""
    return {"text": message, "values": values}


def share(count: int, total: int) -> JSON:
    """A share as a cell, with its Wilson interval."""
    return wilson(count, total).as_json()


def in_words(figure: JSON) -> str:
    """ "78.0 % [71.9, 83.6]", without an interval where there is none, a dash where the figure is undefined."""
    if figure["value"] is None:
        return "–"
    return f"{tables.in_percent(figure)} % {tables.interval(figure)}".rstrip()


def agreement_table(units: Units, *, seed: int, guessing: float | None = None) -> JSON:
    """Raw agreement and Krippendorff's alpha (nominal) over the units with two labels or more.

    Where every unit has labels of its own alpha says nothing beyond raw agreement: `guessing`, how often two who
    guess say the same, stands in its place.
    """
    rows = [raw_agreement_row(said(_("Raw agreement of two annotators")), units, seed)]
    if guessing is None:
        rows.append(alpha_row(units, seed))
    else:
        rows.append([said(_("Agreement of two who guess")), round(guessing, 3), None, None, rows[0][4], None, None])
    note = [_("Over what at least two people judged; a dash where agreement is undefined."), WITHOUT_ONE]
    return table("agreement", _("Agreement"), agreement_columns(_("Units")), rows) | {"note": note}


def excluded_table(judged: Iterable[Judged]) -> list[JSON]:
    """How many HITs are left out and why; no table where none is."""
    reasons = Counter(row.excluded or UNANSWERED for row in judged if row.excluded or not row.given)
    if not reasons:
        return []
    rows = [[said(reason) if reason == UNANSWERED else reason, count] for reason, count in sorted(reasons.items())]
    found = table("excluded", _("Left out"), (_("Reason"), _("HITs")), rows)
    return [found | {"leads": False}]  # nothing of what counts stands behind it


def usual_seconds(seconds: Iterable[float]) -> float | None:
    """The median of the active seconds that are known."""
    known = [each for each in seconds if each > 0]
    return round(median(known), 1) if known else None
