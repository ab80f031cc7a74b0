"""Whatever is wrong with a file, each of its records is counted once: as accepted or as skipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotation.formats.cells import lines_of
from annotation.formats.mapped import Mapped
from annotation.pure.data.column_mapping import ColumnMapping
from tests.pure.formats.samples import HOTPOT, read

HEADER = "question,answer,title,text\n"
ROWS = {
    "good": "Who?,tin,T,A tin.\n",
    "several lines": 'Who?,tin,T,"A tin,\nand more."\n',
    "quoted": '"Who, ""now""?",tin,T,A tin.\n',
    "short": "Who?,tin\n",
    "long": "Who?,tin,T,A tin.,more\n",
    "no question": ",tin,T,A tin.\n",
    "open quote": 'Who?,"tin,T,A tin.\n',
    "open at the end": 'Who?,tin,T,"A tin.\n',
    "closes nothing": 'Who?,tin,T,A tin."\n',
    "quote within": 'Who?,"tin" or lead,T,A tin.\n',
    "NUL": "Who?,tin\x00,T,A tin.\n",
    "blank": "\n",
    "blank cells": ",,,\n",
}
LINES = {
    "good": json.dumps(HOTPOT),
    "no id": json.dumps({key: value for key, value in HOTPOT.items() if key != "_id"}),
    "broken": '{"_id": "x", "question"',
    "no object": "[1]",
    "wrong": json.dumps(HOTPOT | {"question": 7}),
    "NaN": json.dumps(HOTPOT | {"score": float("nan")}),
    "twice": '{"_id": 1, "_id": 2}',
    "deep": "[" * 100_000,
    "blank": " ",
}


@given(st.lists(st.sampled_from(sorted(set(ROWS) - {"several lines"})), min_size=1, max_size=12))
def test_each_line_of_a_table_is_accepted_or_skipped(kinds: list[str]) -> None:
    opens = bool({"open quote", "open at the end"} & set(kinds))
    assume(not (opens and "closes nothing" in kinds))  # together they are one good cell of several lines
    assume(set(kinds) - {"blank", "blank cells", "long"})  # a cell more on every line: R's row names
    wanted = [kind for kind in kinds if not kind.startswith("blank")]
    parsed, _ = read("csv", (HEADER + "".join(ROWS[kind] for kind in kinds)).encode())
    assert [one.number for one in parsed] == list(range(1, len(wanted) + 1))
    assert all((one.example is None) == any(flaw.severity == "error" for flaw in one.flaws) for one in parsed)
    if not opens:
        skipped = {"short", "long", "no question", "quote within", "NUL"}
        assert [one.example is None for one in parsed] == [kind in skipped for kind in wanted]


@given(st.lists(st.sampled_from(["good", "several lines", "quoted", "short", "blank"]), min_size=1, max_size=12))
def test_cells_of_several_lines_are_one_record(kinds: list[str]) -> None:
    parsed, _ = read("csv", (HEADER + "".join(ROWS[kind] for kind in kinds)).encode())
    assert [one.example is None for one in parsed] == [kind == "short" for kind in kinds if kind != "blank"]


@given(st.lists(st.sampled_from(sorted(LINES)), min_size=1, max_size=12))
def test_each_line_of_json_lines_is_accepted_or_skipped(kinds: list[str]) -> None:
    first = json.dumps(HOTPOT | {"_id": "first"})
    parsed, _ = read("hotpotqa", "\n".join([first, *(LINES[kind] for kind in kinds)]).encode())
    assert len(parsed) == 1 + sum(kind != "blank" for kind in kinds)
    assert [one.number for one in parsed] == list(range(1, len(parsed) + 1))
    assert all((one.example is None) == any(flaw.severity == "error" for flaw in one.flaws) for one in parsed)


@pytest.mark.parametrize("at", [1, 4, 39])
def test_a_quote_that_is_never_closed_takes_one_line(at: int) -> None:
    rows = [ROWS["good"]] * 40
    rows[at] = ROWS["open quote"]
    parsed, flaws = read("csv", (HEADER + "".join(rows)).encode())
    assert [one.number for one in parsed if one.example is None] == [at + 1]
    assert flaws[0].place == f"line {at + 2}"
    assert at == 39 or f"takes {40 - at} lines, up to the end of the file" in flaws[0].wrong


def test_a_quote_that_another_closes_takes_no_line_between() -> None:
    lines = ["q,a", 'who?,"one', "what?,two", "when?,three", "where?,four", 'why?,five"', "which?,six"]
    with lines_of("\n".join(lines).encode()) as table:
        table.width = table.least = 2
        assert [line.cells[0] for line in table if line.cells] == ["q", "what?", "when?", "where?", "which?"]


@pytest.mark.parametrize("separator", ",;\t|")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_tables_are_read_in_any_encoding_and_with_any_separator(
    tmp_path: Path, separator: str, encoding: str, end: str
) -> None:
    rows = [["Frage", "antwort", "Text"], ["Wer mäht?", "Jörg", '"Jörg mäht; er, ja | er"'], ["", "", ""]]
    text = end.join(separator.join(row) for row in rows) + end
    (tmp_path / "t").write_bytes(text.encode(encoding))
    mapping = ColumnMapping.of([("question", "Frage"), ("answer", "antwort"), ("paragraph", "Text")])
    [parsed] = Mapped(mapping).read(tmp_path / "t")
    assert getattr(parsed, "example", None)
    assert (parsed.example.question, parsed.example.answers) == ("Wer mäht?", ("Jörg",))  # type: ignore[union-attr]
    assert [flaw.wrong for flaw in parsed.flaws] == ["it is not UTF-8, and is read as Windows-1252"] * (
        encoding == "cp1252"
    )
