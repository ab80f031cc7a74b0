"""Display of the tables of any report: cells, bars, links from numbers, and files."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from annotation.pure.data.example import JSON
from annotation.pure.reports import tables
from annotation.pure.reports.explanations import table_key
from annotation.pure.reports.model_aspects import MODEL
from annotation.pure.reports.report_values import drilldown_filters
from annotation.pure.reports.table_files import COPIES, FILES
from annotation.views.reports.drilldown_links import BatchesDrilldownLinks, DrilldownLinks
from annotation.views.reports.figure_notes import FigureNotes

Address = Callable[[str, str], str]  # from name and suffix to the URL of a table's file
MOST_ROWS = 50  # on a page
LONG = 40  # characters from which a cell is no narrower than a line of prose on a phone
BAR = 100  # width of a bar in its own units


def shown_table(
    table: JSON,
    ways: DrilldownLinks | BatchesDrilldownLinks | None = None,
    address: Address | None = None,
    notes: FigureNotes | None = None,
) -> JSON:
    """The context of `reports/_table.html`; without `ways` no number has a link, without `address` no files.

    Without `notes` no figure has an explanation.

    With files, a long table begins only; `total` is then its number of rows.
    """
    total = len(table["rows"])
    if is_cut := address is not None and total > MOST_ROWS:
        table = table | {name: table[name][:MOST_ROWS] for name in ("rows", "of") if table.get(name)}
    whole, (table, of_model) = table, _without_one_model(table)
    numbers, texts = tables.numbers_of(table), tables.quotable(table, _)[1]
    head, bars = tables.head_of(table, _), table.get("bars", True)
    why, explained = (notes.of_table(table), notes.of_columns(table)) if notes else (None, {})
    rows = zip(table["rows"], texts, _fewest(_links(table, ways), why), strict=True)
    return {
        "name": table["name"],
        "study": table.get("study", ""),
        "key": table_key(table),
        "title": tables.title_of(table, _),
        "about": tables.cell_text(table["about"], _) if table.get("about") and table.get("kind") else "",
        "variant": bool(table.get("variant")),
        "note": f"{of_model} {tables.note_of(table, _)}".strip(),
        "spans": [{"words": words, "columns": count} for words, count in tables.spans_of(table, _)],
        "why": why,
        "columns": [
            {"label": label, "number": number, "why": explained.get(k)}
            for k, (label, number) in enumerate(zip(head, numbers, strict=True))
        ],
        "rows": [
            [
                _cell(cell, text, number, bars) | {"url": link, "label": label}
                for cell, text, number, link, label in zip(row, shown, numbers, links, _names(table, head), strict=True)
            ]
            for row, shown, links in rows
        ],
        "total": total if is_cut else None,
        "quotes": [_quote(whole, name) for name in COPIES] if table["rows"] and not is_cut else [],
        "files": [
            {"label": f".{suffix}", "form": form.label, "url": address(table["name"], suffix)}
            for suffix, form in FILES.items()
            if table["rows"] and address
        ],
    }


def _without_one_model(table: JSON) -> tuple[JSON, str]:
    """The table without its column of models if all rows are of one, and a sentence that names it; else both as is."""
    rows, models = table["rows"], [k for k, name in enumerate(table["columns"]) if name == MODEL]
    if len(rows) < 2 or not models or table.get("spans") or any(row[models[0]] != rows[0][models[0]] for row in rows):
        return table, ""
    kept = [k for k in range(len(table["columns"])) if k != models[0]]
    shown = {"columns": [table["columns"][k] for k in kept], "rows": [[row[k] for k in kept] for row in rows]}
    if links := table.get("of_columns"):
        shown["of_columns"] = [links[k] for k in kept]
    return table | shown, _("Model: %(name)s.") % {"name": tables.cell_text(rows[0][models[0]], _)}


def _names(table: JSON, head: list[str]) -> list[str]:
    """The names of columns where they stand alone: those under a common word begin with it."""
    spans = [words for words, count in tables.spans_of(table, _) for _k in range(count)] or [""] * len(head)
    return [f"{words}: {name}" if words else name for words, name in zip(spans, head, strict=True)]


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


def _fewest(links: list[list[str]], why: JSON | None) -> list[list[str]]:
    """A row's link once, at its head, where all of its numbers lead to the same list; none where those of all rows do.

    That list is then behind the “?” of the table, if it has any.
    """
    if why and any(rows["url"] for rows in why["rows"]) and len({link for row in links for link in row if link}) == 1:
        return [[""] * len(row) for row in links]
    several = [len(row) - row.count("") > 1 and len(set(row) - {""}) == 1 for row in links]
    return [[max(row), *[""] * (len(row) - 1)] if same else row for row, same in zip(links, several, strict=True)]


def _hashable(cell: Any) -> Any:
    return cell.get("value") if tables.is_figure(cell) else None if isinstance(cell, Mapping) else cell


def _cell(cell: Any, text: str, number: bool, bars: bool) -> JSON:
    if not tables.is_figure(cell):
        if isinstance(cell, int):
            text = number_format(cell, force_grouping=True)
        return {"text": text, "number": number, "bar": None, "is_long": len(text) > LONG}
    shown, is_share = tables.in_percent(cell), cell["value"] is not None and not cell.get("points")
    return {
        "text": f"{shown} %" if bars and is_share else shown,
        "interval": tables.interval(cell),
        "n": cell.get("n"),
        "number": number,
        "bar": _bar(cell) if bars and is_share else None,
    }


def _bar(figure: Mapping[str, Any]) -> JSON | None:
    """Value and interval as positions on a bar from 0 to 100; None if it is not a share or unknown."""
    ends = [figure["value"], figure.get("low"), figure.get("high")]
    if any(end is None or not 0 <= end <= 1 for end in ends):
        return None
    value, low, high = (round(BAR * end, 1) for end in ends)
    return {"value": value, "low": low, "width": round(max(high - low, 1), 1), "size": BAR}
