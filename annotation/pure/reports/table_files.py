"""A report's table as a file or for the clipboard: LaTeX, Markdown, CSV, and tab-separated for spreadsheets.

Tables are JSON as in annotation/pure/reports/tables.py.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.pure.reports import table_formats, tables
from annotation.pure.reports.tables import Translate

Table = Mapping[str, Any]
Written = Callable[[Table, Translate], str]


@dataclass(frozen=True, slots=True)
class TableFormat:
    """A download format of a table."""

    label: str
    media: str
    write: Written


def as_latex(table: Table, translate: Translate = str) -> str:
    """A float for the booktabs package, captioned with the table's title and note."""
    _flat, rows = tables.quotable(table, translate)
    head, spans = tables.head_of(table, translate), tables.spans_of(table, translate)
    tabular = table_formats.latex(head, rows, numbers=tables.numbers_of(table), spans=spans)
    note = tables.note_of(table, translate)
    caption = " ".join(part for part in (f"{tables.title_of(table, translate).rstrip('.')}.", note) if part)
    return table_formats.latex_table(tabular, caption=caption, label=table["name"])


def as_markdown(table: Table, translate: Translate = str) -> str:
    return table_formats.markdown(*tables.quotable(table, translate), numbers=tables.numbers_of(table))


def as_csv(table: Table, translate: Translate = str) -> str:
    """One column for each number: a figure has four, its value and interval in percent and its n."""
    return table_formats.csv(*tables.spread(table, translate))


def as_tsv(table: Table, translate: Translate = str) -> str:
    return table_formats.tsv(*tables.quotable(table, translate))


FILES = {
    "tex": TableFormat("LaTeX", "application/x-tex; charset=utf-8", as_latex),
    "md": TableFormat("Markdown", "text/markdown; charset=utf-8", as_markdown),
    "csv": TableFormat("CSV", "text/csv; charset=utf-8", as_csv),
}
COPIES = {"latex": FILES["tex"], "markdown": FILES["md"], "csv": FILES["csv"], "tsv": TableFormat("TSV", "", as_tsv)}
