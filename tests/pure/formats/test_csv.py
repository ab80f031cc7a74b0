"""A table of questions is safe to open in a spreadsheet (tests/pure/test_spreadsheet.py has the cells)."""

from __future__ import annotations

import csv
import io

from annotation.pure.data.example import Example, Paragraph
from tests.pure.formats.samples import written


def test_every_cell_of_an_export_is_guarded_and_so_are_its_columns() -> None:
    columns = ["question", "answer", "title", "text", "=cmd", "more"]
    example = Example(
        id="=1",
        question="+q",
        paragraphs=(Paragraph("-t", "@x"),),
        answers=("\tans",),
        extra={"@csv": {"columns": columns}, "=cmd": "=x", "more": "＝y"},
    )
    rows = list(csv.reader(io.StringIO(written("csv", [example]).decode(), newline="")))
    assert rows == [
        ["id", "question", "answer", "title", "text", "'=cmd", "more"],
        ["'=1", "'+q", "'\tans", "'-t", "'@x", "'=x", "'＝y"],
    ]
