"""Excel workbooks are read where openpyxl is installed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from annotation.formats import FORMATS
from annotation.formats.cells import all_lines
from annotation.formats.guess import guess


def test_the_first_sheet_of_a_workbook_is_a_table(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book, path = openpyxl.Workbook(), tmp_path / "a.xlsx"
    rows = [["question", "answer", "title", "text", None], [None] * 5]
    rows += [["Who?", True, "T", "A tin\nbox.", None], ["When?", 90.0, "T", date(2026, 3, 1), None]]
    for row in rows:
        book.active.append(row)
    book.create_sheet("other").append(["more"])
    book.save(path)
    assert guess(path) == "csv"
    examples = [parsed.example for parsed in FORMATS["csv"].read(path) if getattr(parsed, "example", None)]
    assert [(each.answer, each.paragraphs[0].text) for each in examples if each] == [
        ("yes", "A tin\nbox."),
        ("90", "2026-03-01"),
    ]
    assert [cells[:2] for _, cells, _ in all_lines(path.read_bytes())][-1] == ["When?", "90"]
