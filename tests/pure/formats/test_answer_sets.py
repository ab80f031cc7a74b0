"""Answer sets and dates in JSONL and CSV, and nowhere else."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from annotation.formats import FORMATS
from annotation.formats.base import CannotWrite, Parsed
from annotation.pure.data.example import Example, Paragraph

EXAMPLE = Example(
    id="a",
    question="Which rivers?",
    paragraphs=(Paragraph("Rivers", "The Rhine and the Elbe."),),
    answer_set=(("Rhine", "Rhein, der"), ("Elbe",)),
    as_of="2024-05-31",
)


def parsed(kind: str, text: str, folder: Path) -> list[Parsed]:
    file = folder / f"file{FORMATS[kind].suffix}"
    file.write_text(text)
    return [one for one in FORMATS[kind].read(file) if isinstance(one, Parsed)]


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_what_is_written_is_read_again(kind: str, tmp_path: Path) -> None:
    out = io.BytesIO()
    FORMATS[kind].write([EXAMPLE], out)
    [one] = parsed(kind, out.getvalue().decode(), tmp_path)
    assert one.example is not None
    assert (one.example.answer_set, one.example.as_of) == (EXAMPLE.answer_set, EXAMPLE.as_of)
    again = io.BytesIO()
    FORMATS[kind].write([one.example], again)
    assert again.getvalue() == out.getvalue()


def test_an_example_without_them_is_stored_as_before() -> None:
    record = Example("a", "Who?", ()).as_json()
    assert not {"answer_set", "as_of"} & set(record)


@pytest.mark.parametrize(
    ("field", "value", "wrong"),
    [
        ("answer_set", "Rhine", "answer_set"),
        ("answer_set", [["Rhine"], 3], "answer_set[1]"),
        ("answer_set", [["Rhine"], []], "answer_set[1]"),
        ("answer_set", [" "], "answer_set[0]"),
        ("as_of", "May 2024", "as_of"),
        ("as_of", "2024-13", "as_of"),
        ("as_of", 2024, "as_of"),
    ],
)
def test_other_values_are_refused_with_their_place(field: str, value: Any, wrong: str, tmp_path: Path) -> None:
    record = {"id": "a", "question": "Which?", "paragraphs": [], field: value}
    [one] = parsed("jsonl", json.dumps(record) + "\n", tmp_path)
    assert one.example is None
    assert {flaw.field for flaw in one.flaws} == {wrong}


def test_an_answer_may_be_a_text_alone(tmp_path: Path) -> None:
    record = {"id": "a", "question": "Which?", "paragraphs": [], "answer_set": ["Rhine", ["Elbe", "Labe"]]}
    [one] = parsed("jsonl", json.dumps(record) + "\n", tmp_path)
    assert one.example
    assert one.example.answer_set == (("Rhine",), ("Elbe", "Labe"))


@pytest.mark.parametrize("kind", ["hotpotqa", "musique", "squad"])
def test_a_format_without_a_place_for_them_refuses_to_lose_them(kind: str) -> None:
    with pytest.raises(CannotWrite):
        FORMATS[kind].write([EXAMPLE], io.BytesIO())
