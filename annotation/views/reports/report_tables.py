"""Display of the tables of any report: cells, bars, links from numbers, and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.pure.reports import tables
from annotation.pure.reports.report_values import behind
from annotation.pure.reports.table_files import COPIES, FILES
from annotation.views.reports.drilldown import Ways, WaysOfSeveral

JSON = dict[str, Any]
Address = Callable[[str, str], str]  # from name and suffix to the URL of a table's file
BAR = 100  # width of a bar in its own units


def shown_table(table: JSON, ways: Ways | WaysOfSeveral | None = None, address: Address | None = None) -> JSON:
    """The context of `reports/_table.html`; without `ways` no number has a link, without `address` no files."""
    numbers, texts = tables.numbers_of(table), tables.quotable(table, _)[1]
    rows = zip(table["rows"], texts, _links(table, ways), strict=True)
    bars = table.get("bars", True)
    return {
        "name": table["name"],
        "title": tables.title_of(table, _),
        "variant": bool(table.get("variant")),
        "note": tables.note_of(table, _),
        "spans": [{"words": words, "columns": count} for words, count in tables.spans_of(table, _)],
        "columns": [
            {"label": label, "number": number} for label, number in zip(tables.head_of(table, _), numbers, strict=True)
        ],
        "rows": [_row(row, shown, numbers, links, bars) for row, shown, links in rows],
        "quotes": [_quote(table, name) for name in COPIES] if table["rows"] else [],
        "files": [_file(table, suffix, address) for suffix in FILES] if table["rows"] and address else [],
    }


def _quote(table: JSON, name: str) -> JSON:
    form = COPIES[name]
    return {"id": f"quote-{table['name']}-{name}", "label": form.label, "text": form.write(table, _)}


def _file(table: JSON, suffix: str, address: Address) -> JSON:
    return {"label": f".{suffix}", "form": FILES[suffix].label, "url": address(table["name"], suffix)}


def _links(table: JSON, ways: Ways | WaysOfSeveral | None) -> list[list[str]]:
    """The link of each cell; "" for texts."""
    if ways is None:
        return [[""] * len(row) for row in table["rows"]]
    columns = table.get("of_columns") or [{}] * len(table["columns"])
    leads = table.get("leads", True)
    return [
        [
            ways.to({**own, **column})
            if leads and own is not None and column is not None and (cell in ways.workers or _is_known(cell))
            else ""
            for cell, column in zip(map(_hashable, row), columns, strict=True)
        ]
        for row, own in zip(table["rows"], behind(table, ways.workers), strict=True)
    ]


def _hashable(cell: Any) -> Any:
    return cell.get("value") if tables.is_figure(cell) else None if isinstance(cell, Mapping) else cell


def _is_known(cell: Any) -> bool:
    return isinstance(cell, int | float)


def _row(
    row: Sequence[Any], shown: Sequence[str], numbers: Sequence[bool], links: Sequence[str], bars: bool
) -> list[JSON]:
    cells = zip(row, shown, numbers, links, strict=True)
    return [_cell(cell, text, number, bars) | {"url": link} for cell, text, number, link in cells]


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
