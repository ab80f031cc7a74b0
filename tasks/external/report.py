"""What strangers' HITs brought in: how many answers, and the most frequent values of each field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from annotation.pure.words import gettext_noop as _
from annotation.tasktype import JSON, Judged
from tasks._tables import INTERVALS, excluded_table, share, table, usual_seconds

MOST_FIELDS, MOST_VALUES, LONGEST = 40, 5, 80


def external_report(judged: Iterable[Judged], joined: Callable[[JSON], dict[str, str]]) -> JSON:
    """Tables over all HITs with answers that scores do not leave out."""
    judged = list(judged)
    rows = [row for row in judged if row.given and not row.excluded]
    fields: dict[str, Counter[str]] = {}
    seconds = []
    for row in rows:
        for given in row.given:
            seconds.append(given.seconds)
            for name, value in joined(given.answer).items():
                fields.setdefault(name, Counter())[value] += 1
    return {
        "task": "external",
        "n": len(rows),
        "tables": [_frequent(fields), *excluded_table(judged)],
        "paragraph": _paragraph(len(rows), len(seconds), usual_seconds(seconds)),
        "intervals": INTERVALS,
        "flags": [],
    }


def _frequent(fields: dict[str, Counter[str]]) -> JSON:
    columns = (_("Field"), _("Value"), _("Answers"), _("Share"))
    rows = [
        [name[:LONGEST], value[:LONGEST] or None, count, share(count, counted.total())]
        for name, counted in list(fields.items())[:MOST_FIELDS]
        for value, count in counted.most_common(MOST_VALUES)
    ]
    note = _("The most frequent values of each field, five at most; long ones are cut.")
    return table("values", _("What was answered"), columns, rows, note)


def _paragraph(hits: int, answers: int, seconds: float | None) -> list[JSON]:
    if not hits:
        return []
    message = _("%(answers)s answers to %(hits)s HITs; half of them took %(seconds)s seconds or more.")
    values = {"answers": answers, "hits": hits, "seconds": "–" if seconds is None else seconds}
    return [{"message": message, "values": values}]
