"""Tables of reports on labels: shares, agreement, and labels by worker.

A unit is what several workers gave one label each: an edge, a HIT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from annotation.pure.reports import tables
from annotation.pure.review.label_tables import WITHOUT_ONE, agreement_columns, alpha_row, raw_agreement_row
from annotation.pure.statistics.intervals import wilson
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Judged

Units = Sequence[Mapping[str, Hashable]]
INTERVALS = _("Shares with 95 % Wilson intervals; agreement with 95 % bootstrap intervals over units")
UNANSWERED = _("no response yet")


def table(name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> JSON:
    """A table for the report page; titles, notes and columns are gettext ids."""
    return {"name": name, "title": title, "note": note, "columns": list(columns), "rows": [list(row) for row in rows]}


def said(message: str, **values: Any) -> JSON:
    """A text that is translated when it is shown, as a cell or a sentence."""
    return {"text": message, "values": values}


def share(count: int, total: int) -> JSON:
    """A share with its Wilson interval, as a cell."""
    return wilson(count, total).as_json()


def in_words(figure: JSON) -> str:
    """ "78.0 % [71.9, 83.6]", without the interval if there is none, a dash if the figure is undefined."""
    if figure["value"] is None:
        return "–"
    return f"{tables.in_percent(figure)} % {tables.interval(figure)}".rstrip()


def agreement_table(units: Units, *, seed: int, guessing: float | None = None) -> JSON:
    """Raw agreement and Krippendorff's alpha (nominal) over the units with two labels or more.

    If every unit has its own set of labels alpha says no more than raw agreement; `guessing`, the agreement of two who
    guess, takes its place.
    """
    rows = [raw_agreement_row(said(_("Raw agreement of two annotators")), units, seed)]
    if guessing is None:
        rows.append(alpha_row(units, seed))
    else:
        rows.append([said(_("Agreement by random guessing")), round(guessing, 3), None, None, rows[0][4], None, None])
    note = [_("Over units with at least two annotators; a dash where agreement is undefined."), WITHOUT_ONE]
    return table("agreement", _("Agreement"), agreement_columns(_("Units")), rows) | {"note": note}


def excluded_table(judged: Iterable[Judged]) -> list[JSON]:
    """The number of excluded HITs by reason; no table if there are none."""
    reasons = Counter(row.excluded or UNANSWERED for row in judged if row.excluded or not row.given)
    if not reasons:
        return []
    rows = [[said(reason) if reason == UNANSWERED else reason, count] for reason, count in sorted(reasons.items())]
    found = table("excluded", _("Left out"), (_("Reason"), _("HITs")), rows)
    return [found | {"leads": False}]  # its rows link to nothing that counts


def usual_seconds(seconds: Iterable[float]) -> float | None:
    """The median of the known active seconds."""
    known = [each for each in seconds if each > 0]
    return round(median(known), 1) if known else None
