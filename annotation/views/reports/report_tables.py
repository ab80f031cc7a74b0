"""Display of the tables of any report: cells, bars, links from numbers, and files."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from annotation.flow.batches import hit_filters
from annotation.models import Batch
from annotation.pure.batches.hit_filters import BatchPart
from annotation.pure.reports import tables
from annotation.pure.reports.report_values import drilldown_filters
from annotation.pure.reports.table_files import COPIES, FILES
from annotation.registry import task_type
from annotation.tasktype import capabilities

JSON = dict[str, Any]
Address = Callable[[str, str], str]  # from name and suffix to the URL of a table's file
MOST_ROWS = 50  # on a page
BAR = 100  # width of a bar in its own units


class DrilldownLinks:
    """URLs of the lists of a batch's HITs and assignments, within the page's filter."""

    def __init__(self, batch: Batch, part: BatchPart) -> None:
        self._batch, self._part = batch, part
        self._labels = capabilities.labels(task_type(batch.task))
        args = [batch.project.slug, batch.slug]
        self._hits, self._assignments = reverse("hits", args=args), reverse("batch-assignments", args=args)
        self._found: dict[tuple[tuple[str, str], ...], str] = {}  # most cells of a row lead to the same

    @cached_property
    def workers(self) -> frozenset[str]:
        return frozenset(hit_filters.pseudonyms(self._batch))

    def to(self, parts: Mapping[str, str]) -> str:
        """The URL of the HITs in a part of the report; of its responses, if it names answers, a worker or a label."""
        key = tuple(parts.items())
        if key not in self._found:
            self._found[key] = self._to(parts)
        return self._found[key]

    def _to(self, parts: Mapping[str, str]) -> str:
        known = {name: value for name, value in parts.items() if name != "label" or value in self._labels}
        part = replace(self._part.narrowed(known), counted=True, ties="")
        if part.worker or part.label or "answers" in parts:
            return f"{self._assignments}?{urlencode({'show': 'submitted', **part.query})}"
        return f"{self._hits}?{urlencode(part.query)}"


class BatchesDrilldownLinks:
    """The same for several batches, named by `batch`."""

    workers: frozenset[str] = frozenset()

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._ways = {batch.slug: DrilldownLinks(batch, BatchPart()) for batch in batches}

    def to(self, parts: Mapping[str, str]) -> str:
        return self._ways[parts["batch"]].to(parts)


def shown_table(
    table: JSON, ways: DrilldownLinks | BatchesDrilldownLinks | None = None, address: Address | None = None
) -> JSON:
    """The context of `reports/_table.html`; without `ways` no number has a link, without `address` no files.

    With files, a long table begins only; `total` is then its number of rows.
    """
    total = len(table["rows"])
    if is_cut := address is not None and total > MOST_ROWS:
        table = table | {name: table[name][:MOST_ROWS] for name in ("rows", "of") if table.get(name)}
    numbers, texts = tables.numbers_of(table), tables.quotable(table, _)[1]
    rows = zip(table["rows"], texts, _links(table, ways), strict=True)
    head, bars = tables.head_of(table, _), table.get("bars", True)
    return {
        "name": table["name"],
        "title": tables.title_of(table, _),
        "variant": bool(table.get("variant")),
        "note": tables.note_of(table, _),
        "spans": [{"words": words, "columns": count} for words, count in tables.spans_of(table, _)],
        "columns": [{"label": label, "number": number} for label, number in zip(head, numbers, strict=True)],
        "rows": [
            [_cell(*cell, bars) | {"url": link} for *cell, link in zip(row, shown, numbers, links, strict=True)]
            for row, shown, links in rows
        ],
        "total": total if is_cut else None,
        "quotes": [_quote(table, name) for name in COPIES] if table["rows"] and not is_cut else [],
        "files": [
            {"label": f".{suffix}", "form": form.label, "url": address(table["name"], suffix)}
            for suffix, form in (FILES.items() if table["rows"] and address else ())
        ],
    }


def _quote(table: JSON, name: str) -> JSON:
    form = COPIES[name]
    return {"id": f"quote-{table['name']}-{name}", "label": form.label, "text": form.write(table, _)}


def _links(table: JSON, ways: DrilldownLinks | BatchesDrilldownLinks | None) -> list[list[str]]:
    """The link of each cell; "" for texts."""
    if ways is None:
        return [[""] * len(row) for row in table["rows"]]
    columns = table.get("of_columns") or [{}] * len(table["columns"])
    leads = table.get("leads", True)

    def link(cell: Any, of_row: Mapping[str, str] | None, of_column: Mapping[str, str] | None) -> str:
        is_linked = isinstance(cell, int | float) or cell in ways.workers
        if not (leads and is_linked) or of_row is None or of_column is None:
            return ""
        return ways.to({**of_row, **of_column})

    return [
        [link(_hashable(cell), of_row, of_column) for cell, of_column in zip(row, columns, strict=True)]
        for row, of_row in zip(table["rows"], drilldown_filters(table, ways.workers), strict=True)
    ]


def _hashable(cell: Any) -> Any:
    return cell.get("value") if tables.is_figure(cell) else None if isinstance(cell, Mapping) else cell


def _cell(cell: Any, text: str, number: bool, bars: bool) -> JSON:
    if not tables.is_figure(cell):
        return {"text": text, "number": number, "bar": None}
    percent = tables.in_percent(cell)
    return {
        "text": f"{percent} %" if bars and cell["value"] is not None else percent,
        "interval": tables.interval(cell),
        "n": cell.get("n"),
        "number": number,
        "bar": _bar(cell) if bars else None,
    }


def _bar(figure: Mapping[str, Any]) -> JSON | None:
    """Value and interval as positions on a bar from 0 to 100; None if it is not a share or unknown."""
    ends = [figure["value"], figure.get("low"), figure.get("high")]
    if any(end is None or not 0 <= end <= 1 for end in ends):
        return None
    value, low, high = (round(BAR * end, 1) for end in ends)
    return {"value": value, "low": low, "width": round(max(high - low, 1), 1), "size": BAR}
