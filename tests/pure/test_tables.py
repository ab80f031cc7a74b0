"""Tables of reports as texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.reports import table_files
from annotation.pure.reports.tables import cell_text, in_percent, is_number, lines, quotable, sentence

FIGURE = {"value": 0.7801, "low": 0.7188, "high": 0.8361, "n": 12}
UNDEFINED = {"value": None, "low": None, "high": None, "n": 0}


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("2hop", "2hop"),
        ("", ""),
        ("50 % sure", "50 % sure"),
        (3, "3"),
        (0, "0"),
        (0.74321, "0.743"),
        (12.0, "12"),
        (1234567.8, "1234568"),
        (None, "–"),
        ({"value": -0.0004, "low": -0.0004, "high": 0.02}, "0.0 [0.0, 2.0]"),
        (FIGURE, "78.0 [71.9, 83.6]"),
        (UNDEFINED, "–"),
        ({"value": 0.5, "low": None, "high": None, "n": 1}, "50.0"),
        ({"text": "composed", "values": {}}, "composed"),
        ({"text": "%(n)s of %(all)s", "values": {"n": 1, "all": 2}}, "1 of 2"),
        ({"text": "5 % of them", "values": {}}, "5 % of them"),
        ({"text": "%(n)s %% of them", "values": {"n": 5}}, "5 % of them"),
    ],
)
def test_a_cell_reads_as_a_person_would_write_it(cell: Any, text: str) -> None:
    assert cell_text(cell) == text


def test_only_messages_are_translated() -> None:
    assert cell_text({"text": "composed", "values": {}}, str.upper) == "COMPOSED"
    assert cell_text("bob", str.upper) == "bob"
    assert sentence({"message": "%(who)s", "values": {"who": "bob"}}, lambda message: message + "!") == "bob!"


def test_a_figure_in_a_sentence_is_said_with_its_interval() -> None:
    assert sentence({"message": "Of these %(rate)s %%.", "values": {"rate": FIGURE}}) == "Of these 78.0 [71.9, 83.6] %."


def test_what_stands_at_the_right() -> None:
    assert [is_number(cell) for cell in (1, 1.5, None, FIGURE, "x", {"text": "x"})] == [True] * 4 + [False] * 2


def test_a_table_is_printed_with_aligned_columns() -> None:
    table = {"title": "Workers", "columns": ["worker", "answers"], "rows": [["ab", 3], ["cde", 12]]}
    assert lines(table) == ["Workers", "  worker  answers", "  ab            3", "  cde          12"]


def test_an_empty_table_says_so() -> None:
    assert lines({"title": "Workers", "columns": ["worker"], "rows": []}) == ["Workers: nothing yet"]


CELLS = st.one_of(
    st.none(),
    st.text(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.fixed_dictionaries({"value": st.none() | st.floats(0, 1), "low": st.none(), "high": st.none()}),
    st.fixed_dictionaries({"text": st.text(), "values": st.just({})}),
)


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), max_size=4)))
def test_every_table_can_be_quoted_and_printed(rows: list[list[Any]]) -> None:
    width = len(rows[0]) if rows else 2
    table = {"title": "T", "columns": [str(k) for k in range(width)], "rows": rows}
    head, quoted = quotable(table)
    assert len(head) == width
    assert all(isinstance(cell, str) for row in quoted for cell in row)
    assert table_files.tsv(head, quoted).count("\n") == len(rows)
    assert len(lines(table)) >= 1


@given(st.floats(0, 1))
def test_percents_have_one_decimal(value: float) -> None:
    assert in_percent({"value": value}).split(".")[1].isdigit()
    assert len(in_percent({"value": value}).split(".")[1]) == 1
