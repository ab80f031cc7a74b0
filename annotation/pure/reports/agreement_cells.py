"""Agreement tables taken from a batch's report, as text cells."""

from collections.abc import Iterator
from typing import Any

from annotation.pure.data.datasheet import Table
from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import cell_text, percent_with_interval

NAME = "agreement"  # of the measure in reports of answers


def agreement_of(report: JSON) -> tuple[Table, ...]:
    """The agreement tables of a report; () if it has none."""
    return (*_by_dataset(report.get("datasets") or {}), *_tables(report.get("tables") or []))


def _by_dataset(datasets: JSON) -> Iterator[Table]:
    """Agreement of one annotation with the others on answer and support, by dataset."""
    for name, parts in sorted(datasets.items()):
        cells = {part: parts[part][NAME] for part in ("answer", "support") if NAME in (parts.get(part) or {})}
        rows = tuple(
            (f"{part}, {measure.upper()}", _cell(figure), str(figure["n"]))
            for part, figures in cells.items()
            for measure, figure in sorted(figures.items())
        )
        if rows:
            yield Table(f"Agreement on {name}", ("Measure", "One annotation against the others", "Questions"), rows)


def _tables(tables: list[JSON]) -> Iterator[Table]:
    for table in tables:
        if on := table.get("on"):
            on = on if isinstance(on, str) else cell_text(on)
            rows = tuple(tuple(_cell(cell) for cell in row) for row in table["rows"])
            yield Table(f"Agreement on {on} ({table['pairs']} pairs of labels)", tuple(table["columns"]), rows)


def _cell(cell: Any) -> str:
    if cell is None:
        return "–"
    if not isinstance(cell, dict):
        return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
    return cell_text(cell) if "value" not in cell else percent_with_interval(cell)
