"""Tables of reports on labels: every label's share, agreement, and what each worker said. The report page shows them.

A unit is what several people gave one label each: an edge, a HIT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from statistics import median
from typing import Any

from annotation.pure import tables
from annotation.pure.agreement import alpha_figure, percent_agreement
from annotation.pure.intervals import Figure, bootstrap_figure, wilson
from annotation.pure.words import gettext_noop as _
from annotation.tasktype import JSON, Judged

Units = Sequence[Sequence[Hashable]]
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
    raw = bootstrap_figure([percent_agreement([unit]) for unit in units], seed, resamples=999)
    columns = (_("Measure"), _("Value"), _("95 % low"), _("95 % high"), _("Units"))
    rows = [[said(_("Raw agreement of two annotators")), *_numbers(raw)]]
    if guessing is None:
        alpha = alpha_figure(units, seed, resamples=999)
        rows.append([said(_("Krippendorff's alpha (nominal)")), *_numbers(alpha)])
    else:
        rows.append([said(_("Agreement of two who guess")), round(guessing, 3), None, None, raw.n])
    note = _("Over what at least two people judged; a dash where agreement is undefined.")
    return table("agreement", _("Agreement"), columns, rows, note)


def _numbers(figure: Figure) -> list[float | int | None]:
    ends = [None if end is None else round(end, 3) for end in (figure.value, figure.low, figure.high)]
    return [*ends, figure.n]


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
