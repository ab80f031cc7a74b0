"""Tables of reports as texts: what a page shows, a note quotes and a terminal prints.

A cell is text as it stands, a number, nothing, a figure {"value", "low", "high", "n"} in 0 to 1, or a sentence
{"text": gettext id, "values"}. Whoever knows the reader's language gives `translate`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Translate = Callable[[str], str]
UNKNOWN = "–"


def is_figure(cell: object) -> bool:
    return isinstance(cell, Mapping) and "value" in cell


def is_number(cell: object) -> bool:
    """Whether the cell stands at the right of its column."""
    return cell is None or is_figure(cell) or isinstance(cell, int | float)


def cell_text(cell: Any, translate: Translate = str) -> str:
    """A cell in one line; a dash where nothing is known."""
    if cell is None:
        return UNKNOWN
    if is_figure(cell):
        return f"{in_percent(cell)} {interval(cell)}".strip()
    if isinstance(cell, Mapping):
        return sentence({"message": cell["text"], "values": cell.get("values", {})}, translate)
    if isinstance(cell, float):
        return f"{round(cell, 3):g}" if abs(cell) < 1e6 else f"{cell:.0f}"
    return str(cell)


def in_percent(figure: Mapping[str, Any]) -> str:
    """{"value": 0.7801, ...} as "78.0"; a dash where it is undefined."""
    return UNKNOWN if figure["value"] is None else f"{100 * figure['value']:.1f}"


def interval(figure: Mapping[str, Any]) -> str:
    """The interval of a figure as "[71.9, 83.6]"; nothing where it is undefined."""
    if figure.get("low") is None or figure.get("high") is None:
        return ""
    return f"[{100 * figure['low']:.1f}, {100 * figure['high']:.1f}]"


def sentence(said: Mapping[str, Any], translate: Translate = str) -> str:
    """{"message": gettext id, "values"} with its values in their places."""
    values = {name: cell_text(value, translate) for name, value in said.get("values", {}).items()}
    message = translate(said["message"]) if said["message"] else ""
    return message % values if values else message.replace("%%", "%")


def quotable(table: Mapping[str, Any], translate: Translate = str) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table as texts, for annotation.pure.quoting."""
    head = [translate(column) if column else "" for column in table["columns"]]
    return head, [[cell_text(cell, translate) for cell in row] for row in table["rows"]]


def lines(table: Mapping[str, Any], translate: Translate = str) -> list[str]:
    """A table under its title with aligned columns, for a terminal."""
    title = translate(table["title"])
    head, rows = quotable(table, translate)
    if not rows:
        return [f"{title}: {translate('nothing yet')}"]
    head, *rows = [[" ".join(cell.split()) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    numbers = [all(is_number(row[k]) for row in table["rows"]) for k in range(len(head))]
    return [title, *(f"  {_aligned(row, widths, numbers)}" for row in [head, *rows])]


def _aligned(row: Sequence[str], widths: Sequence[int], numbers: Sequence[bool]) -> str:
    cells = zip(row, widths, numbers, strict=True)
    return "  ".join(c.rjust(width) if number else c.ljust(width) for c, width, number in cells).rstrip()
