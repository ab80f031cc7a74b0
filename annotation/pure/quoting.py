"""Tables in the forms in which papers and notes take them: tab-separated, Markdown, LaTeX."""

from __future__ import annotations

from collections.abc import Sequence

Row = Sequence[str]

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
    "–": "--",
}


def tsv(head: Row, rows: Sequence[Row]) -> str:
    """Lines of cells with tabs between, as spreadsheets take them; tabs and line ends in cells become spaces."""
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in [head, *rows])


def markdown(head: Row, rows: Sequence[Row]) -> str:
    """A Markdown table: the first column is text, the others are figures."""
    rule = ["---", *("---:" for _ in head[1:])]
    escaped = [[_pipe(cell) for cell in row] for row in [head, *rows]]
    return "\n".join(f"| {' | '.join(row)} |" for row in [escaped[0], rule, *escaped[1:]])


def latex(head: Row, rows: Sequence[Row]) -> str:
    """A `tabular` with the rules of the booktabs package."""
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\toprule", _line(head), r"\midrule"]
    return "\n".join([*lines, *map(_line, rows), r"\bottomrule", r"\end{tabular}"])


def _pipe(cell: str) -> str:
    return " ".join(cell.replace("\\", "\\\\").replace("|", r"\|").split())


def _line(row: Row) -> str:
    return " & ".join("".join(_LATEX.get(sign, sign) for sign in " ".join(cell.split())) for cell in row) + r" \\"
