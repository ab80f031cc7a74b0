"""A report's table as a file or for the clipboard: LaTeX, Markdown, CSV, and tab-separated for spreadsheets.

Tables are JSON as in annotation/pure/reports/tables.py; the formats take head and rows as texts. `numbers` tells for
each column whether it has numbers, which are right-aligned; by default all columns but the first. `spans` is the line
above the head: texts with the number of columns they span.
"""

import csv as written
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.pure.reports import tables
from annotation.pure.reports.tables import Translate
from annotation.pure.text.spreadsheet import guarded

Row = Sequence[str]
Spans = Sequence[tuple[str, int]]

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",  # \textquotedbl needs a font encoding that LaTeX does not begin with
    "–": "--",
    "—": "---",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "→": r"$\to$",
    "…": r"\ldots{}",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "·": r"$\cdot$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "\N{NO-BREAK SPACE}": "~",
}
_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
_WITH_SPREAD = re.compile(rf"({_NUMBER}) ± ({_NUMBER})")
_ONLY_NUMBERS = re.compile(rf"{_NUMBER}(?: \[{_NUMBER}, {_NUMBER}\])?")


def tsv(head: Row, rows: Sequence[Row]) -> str:
    """Lines of cells with tabs between, as spreadsheets take them: tabs and line ends become spaces, minus a hyphen."""
    return "\n".join("\t".join(" ".join(cell.split()).replace("−", "-") for cell in row) for row in [head, *rows])


def csv(head: Row, rows: Sequence[Sequence[str | float]]) -> str:
    """Comma-separated lines; numbers stay numbers, and texts are guarded against running as formulas."""
    out = io.StringIO()
    writer = written.writer(out, lineterminator="\r\n")
    for row in [head, *rows]:
        writer.writerow([guarded(" ".join(cell.split())) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


def markdown(head: Row, rows: Sequence[Row], *, numbers: Sequence[bool] | None = None) -> str:
    """A Markdown table."""
    rule = ["---:" if number else "---" for number in _numbers(head, numbers)]
    escaped = [[_pipe(cell) for cell in row] for row in [head, *rows]]
    return "\n".join(f"| {' | '.join(row)} |" for row in [escaped[0], rule, *escaped[1:]])


def latex(head: Row, rows: Sequence[Row], *, numbers: Sequence[bool] | None = None, spans: Spans = ()) -> str:
    """A `tabular` with the rules of the booktabs package."""
    columns = "".join("r" if number else "l" for number in _numbers(head, numbers))
    above = list(_above(spans)) if any(words for words, _count in spans) else []
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *above, _line(head), r"\midrule"]
    return "\n".join([*lines, *map(_line, rows), r"\bottomrule", r"\end{tabular}"])


def latex_table(tabular: str, *, caption: str, label: str) -> str:
    """A `tabular` as a float with its caption; `label` of letters, digits and hyphens."""
    captions = [rf"\caption{{{latex_text(caption)}}}", rf"\label{{tab:{label}}}"]
    lines = ["% needs \\usepackage{booktabs}", r"\begin{table}", r"\centering", tabular, *captions, r"\end{table}"]
    return "\n".join(lines)


def latex_text(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return "".join(_LATEX.get(sign, sign) for sign in text)


def _numbers(head: Row, numbers: Sequence[bool] | None) -> Sequence[bool]:
    return [k > 0 for k in range(len(head))] if numbers is None else numbers


def _above(spans: Spans) -> Iterator[str]:
    """The LaTeX row above the head, and partial rules under its cells that span several columns."""
    cells, rules, start = [], [], 1
    for words, count in spans:
        text = latex_text(words)
        cells.append(rf"\multicolumn{{{count}}}{{c}}{{{text}}}" if count > 1 else text)
        if words and count > 1:
            rules.append(rf"\cmidrule(lr){{{start}-{start + count - 1}}}")
        start += count
    yield " & ".join(cells) + r" \\"
    if rules:
        yield " ".join(rules)


def _pipe(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", r"\|").split())


def _line(row: Row) -> str:
    first, *others = (_cell(" ".join(cell.split())) for cell in row)
    first = f"{{}}{first}" if first.startswith("[") else first  # else \\ would take it for its length
    return " & ".join([first, *others]) + r" \\"


def _cell(text: str) -> str:
    """A cell in LaTeX, with numbers that need it in math mode: "78.0 ± 6.1", and minus signs."""
    if match := _WITH_SPREAD.fullmatch(text):
        return rf"${match[1]} \pm {match[2]}$"
    if _ONLY_NUMBERS.fullmatch(text):
        return text.replace("-", "$-$")
    return latex_text(text)


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
    tabular = latex(head, rows, numbers=tables.numbers_of(table), spans=spans)
    note = tables.note_of(table, translate)
    caption = " ".join(part for part in (f"{tables.title_of(table, translate).rstrip('.')}.", note) if part)
    return latex_table(tabular, caption=caption, label=table["name"])


def as_markdown(table: Table, translate: Translate = str) -> str:
    return markdown(*tables.quotable(table, translate), numbers=tables.numbers_of(table))


def as_csv(table: Table, translate: Translate = str) -> str:
    """One column for each number: a figure has four, its value and interval in percent and its n."""
    return csv(*tables.spread(table, translate))


def as_tsv(table: Table, translate: Translate = str) -> str:
    return tsv(*tables.quotable(table, translate))


FILES = {
    "tex": TableFormat("LaTeX", "application/x-tex; charset=utf-8", as_latex),
    "md": TableFormat("Markdown", "text/markdown; charset=utf-8", as_markdown),
    "csv": TableFormat("CSV", "text/csv; charset=utf-8", as_csv),
}
COPIES = {"latex": FILES["tex"], "markdown": FILES["md"], "csv": FILES["csv"], "tsv": TableFormat("TSV", "", as_tsv)}
