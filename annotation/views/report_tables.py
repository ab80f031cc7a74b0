"""How a report's page shows the tables of any task type: cells, bars, quotable forms, a paragraph, what stands out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.pure import quoting, tables

JSON = dict[str, Any]
FORMS = {"tsv": "TSV", "markdown": "Markdown", "latex": "LaTeX"}
BAR = 100  # width of a bar in its own units


def tables_exhibit(content: JSON) -> JSON:
    """The context of the report's page besides its batch, from a report with `tables`."""
    return {
        "tables": [_table(table) for table in content["tables"]],
        "flags": [tables.sentence(flag, _) for flag in content.get("flags", ())],
        "paragraph": " ".join(tables.sentence(told, _) for told in content.get("paragraph", ())),
        "intervals": _(content["intervals"]) if content.get("intervals") else "",
        "answered_hits": content.get("n"),
    }


def corrected_tables(content: JSON) -> list[JSON]:
    """The same tables against corrected gold, those that came out otherwise; none where no gold was corrected."""
    after = (content.get("corrected") or {}).get("tables", [])
    return [
        _table({**table, "name": f"corrected-{table['name']}"}) for table in after if table not in content["tables"]
    ]


def _table(table: JSON) -> JSON:
    head, rows = tables.quotable(table, _)
    numbers = [all(tables.is_number(row[k]) for row in table["rows"]) for k in range(len(head))]
    quotes = {name: getattr(quoting, name)(head, rows) for name in FORMS} if rows else {}
    return {
        "name": table["name"],
        "title": _(table["title"]),
        "note": _(table["note"]) if table.get("note") else "",
        "columns": [{"label": label, "number": number} for label, number in zip(head, numbers, strict=True)],
        "rows": [_row(row, shown, numbers) for row, shown in zip(table["rows"], rows, strict=True)],
        "quotes": [
            {"id": f"quote-{table['name']}-{name}", "label": FORMS[name], "text": text} for name, text in quotes.items()
        ],
    }


def _row(row: Sequence[Any], shown: Sequence[str], numbers: Sequence[bool]) -> list[JSON]:
    return [_cell(cell, text, number) for cell, text, number in zip(row, shown, numbers, strict=True)]


def _cell(cell: Any, text: str, number: bool) -> JSON:
    if not tables.is_figure(cell):
        return {"text": text, "number": number, "bar": None}
    return {
        "text": tables.in_percent(cell) if cell["value"] is None else f"{tables.in_percent(cell)} %",
        "interval": tables.interval(cell),
        "n": cell.get("n"),
        "number": number,
        "bar": _bar(cell),
    }


def _bar(figure: Mapping[str, Any]) -> JSON | None:
    """Where value and interval lie on a bar from 0 to 100; None for what is no share, or is not known."""
    ends = [figure["value"], figure.get("low"), figure.get("high")]
    if any(end is None or not 0 <= end <= 1 for end in ends):
        return None
    value, low, high = (round(BAR * end, 1) for end in ends)
    return {"value": value, "low": low, "width": round(max(high - low, 1), 1), "size": BAR}
