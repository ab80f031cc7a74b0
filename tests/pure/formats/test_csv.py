"""Cells that a spreadsheet would run are made inert, and texts come back exactly."""

from __future__ import annotations

import csv
import io
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.formats.csv import guarded, unguarded
from annotation.pure.example import Example, Paragraph
from tests.pure.formats.samples import written

LIVE = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\rx",
    "\nx",
    " =1",
    "\u3000＝1",
    "＋1",
    "－1",
    "＠x",
    "\ufeff=1",
    "﹦1",
]
CALM = ["", "tin", "1-1", "a=b", "'", "' tin", "it's", "“=”"]


@pytest.mark.parametrize("text", LIVE)
def test_a_cell_that_could_be_a_formula_gets_an_apostrophe(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert guarded(f"'{text}") == f"''{text}"


@pytest.mark.parametrize("text", CALM)
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert guarded(text) == text
    assert unguarded(text) == text


openings = st.text("=+-@\t\r\n '＝＋－＠\u200b\u3000a1", max_size=5)


@settings(max_examples=500, deadline=None)
@given(openings, st.text(max_size=5))
def test_guarding_loses_nothing_and_leaves_nothing_live(opening: str, rest: str) -> None:
    cell = guarded(opening + rest)
    assert unguarded(cell) == opening + rest
    first = next((unicodedata.normalize("NFKC", c)[:1] for c in cell if not c.isspace()), "")
    assert first not in ("=", "+", "-", "@")
    assert cell[:1] not in ("\t", "\r", "\n")


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
