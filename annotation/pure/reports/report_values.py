"""Any report as plain values: all its tables, by name. Pages, files, charts and programs read these.

A table's `of` holds for each row the filter of the batch's HITs and assignments behind it: "dataset", "hops", "shape",
"worker", "label". Where it is empty, the filter is derived from the row's first cell.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.answer_tables import answer_tables
from annotation.pure.reports.disagreement_map import DIFFERING
from annotation.pure.reports.exclusion_tables import before_and_after, count_table, tables_with_excluded
from annotation.pure.reports.own_answers import own_answer_tables
from annotation.pure.reports.participation_flow import flow_tables
from annotation.pure.reports.tables import Sentence, without_empty
from annotation.pure.text.translation_marks import gettext_noop as _

CORRECTED = "corrected-"  # before the names of tables against corrected gold
AGAINST_CORRECTED = _("against corrected gold")
BY_COLUMN = {"dataset": "dataset", "hops": "hops", "shape": "shape", "worker": "worker"}  # a first column: its filter


def tables_of(content: Mapping[str, Any]) -> list[JSON]:
    """Every table of a report, [] without tables; no table has columns of what nobody was asked.

    First the task's, then those against corrected gold, those with excluded HITs, of models beside people, the evidence
    that answers are people's own, those by position and time, the flow of people and responses, causes of
    disagreement, altered facts, and where workers differ.
    """
    flows = flow_tables(content["flow"]) if content.get("flow") else []
    last = (*content.get("causes", ()), *content.get("altered", ()), *content.get(DIFFERING, ()))
    own = [*_tables_of_task(content), *content.get("models", ()), *own_answer_tables(content)]
    found = list(map(without_empty, (*own, *content.get("by_position", ()), *flows, *last)))
    return [_with_note(table, content["pooled"]) for table in found] if content.get("pooled") else found


def _with_note(table: JSON, said: Sentence) -> JSON:
    note = table.get("note") or []
    cell = {"text": said["message"], "values": said["values"]}
    return table | {"note": [cell, *(note if isinstance(note, list) else [note])]}


def _tables_of_task(content: Mapping[str, Any]) -> list[JSON]:
    if content.get("datasets"):
        return answer_tables(content)
    own: list[JSON] = content.get("tables") or []
    after, counting = ((content.get(name) or {}).get("tables") or [] for name in ("corrected", "with_excluded"))
    changed = [table for table in after if table not in own]
    return [
        *own,
        *({**table, "name": CORRECTED + table["name"], "variant": AGAINST_CORRECTED} for table in changed),
        *([count_table(content["excluded"])] if content.get("excluded") else []),
        *before_and_after(own, counting),
        *tables_with_excluded(own, counting),
    ]


def table_of(content: Mapping[str, Any], name: str) -> JSON | None:
    """The table of that name, or None."""
    return next((table for table in tables_of(content) if table["name"] == name), None)


def drilldown_filters(table: Mapping[str, Any], workers: Collection[str]) -> list[JSON | None]:
    """For each row the filter of the responses behind it: {} for all responses, None if no filter selects exactly them.

    `workers` are the known pseudonyms.
    """
    rows_of: Sequence[JSON | None] = table.get("of") or [{} for _row in table["rows"]]
    return [
        own if own is None else own or _read_off(table, row, workers)
        for own, row in zip(rows_of, table["rows"], strict=True)
    ]


def _read_off(table: Mapping[str, Any], row: Sequence[Any], workers: Collection[str]) -> JSON:
    first = row[0] if row else None
    if isinstance(first, str) and first in workers:
        return {"worker": first}
    filter_ = BY_COLUMN.get(str(table["columns"][0]).lower(), "")
    fits = isinstance(first, str) if filter_ in ("dataset", "shape") else filter_ == "hops" and isinstance(first, int)
    return {filter_: str(first)} if fits else {}
