"""What was voided in a batch: how many HITs and answers, for which reasons, and the figures with and without them.

Tables are JSON as in annotation/pure/tables.py; titles, notes and columns are gettext ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from annotation.pure.tables import counted as answer_count
from annotation.pure.tables import made, said
from annotation.pure.words import gettext_noop as _

JSON = dict[str, Any]
WITH_VOIDED = "with-voided-"  # before the names of tables that count voided HITs too
COUNTED = _("with the voided HITs")


def counts(voided: Iterable[tuple[str, int]]) -> list[list[Any]]:
    """[reason, HITs, answers] of voided HITs, given as (reason, answers) each, in the order of their reasons."""
    hits: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    for reason, number in voided:
        hits[reason] += 1
        answers[reason] += number
    return [[reason, hits[reason], answers[reason]] for reason in sorted(hits)]


def left_out(counted: Sequence[Sequence[Any]]) -> list[JSON]:
    """How many answers the figures leave out with voided HITs, as a sentence; none where that is none."""
    hits, answers = (sum(row[k] for row in counted) for k in (1, 2))
    if not answers:
        return []
    values = {
        "answers": answer_count(answers, _("one answer"), _("%(n)s answers")),
        "hits": answer_count(hits, _("to one voided HIT"), _("to %(n)s voided HITs")),
    }
    return [{"message": _("Not counted here: %(answers)s %(hits)s."), "values": values}]


def count_table(counted: Sequence[Sequence[Any]]) -> JSON:
    """How many HITs and answers were voided, by reason."""
    rows = [list(row) for row in counted]
    if len(rows) > 1:
        rows.append([said(_("all")), sum(row[1] for row in rows), sum(row[2] for row in rows)])
    note = _("Only voiding takes answers out of the figures; rejecting, discarding and adjudicating do not.")
    table = made("voided", _("Voided"), [_("Reason"), _("HITs"), _("Answers")], rows, note)
    return table | {"leads": False, "bars": False}


def tables_with_voided(own: Sequence[JSON], counting: Sequence[JSON]) -> list[JSON]:
    """The tables that voided HITs change, as they are with them."""
    changed = [table for table in counting if table not in own and table["name"] != "excluded"]
    return [{**table, "name": WITH_VOIDED + table["name"], "variant": COUNTED, "leads": False} for table in changed]


def study_rows(
    without: Mapping[str, Any], counting: Mapping[str, Any], cells: Callable[[JSON], list[JSON]]
) -> list[list[Any]]:
    """Two rows for each dataset of these reports that voided HITs change: its figures without them and with them."""
    return [
        [name, said(words), found["datasets"][name]["n"], found["k"], *cells(found["datasets"][name])]
        for name, study in counting["datasets"].items()
        if study["n"] != without["datasets"][name]["n"]
        for words, found in ((_("without the voided HITs"), without), (COUNTED, counting))
    ]
