"""What is wrong with a file is said with the line and the remedy, and the good records beside it are read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from annotation.formats.base import Flaw, Unreadable
from tests.pure.formats import samples
from tests.pure.formats.samples import CSV, HOTPOT, JSONL, MUSIQUE, RACE, SQUAD, TWOWIKI, encoded, read

JSON_FAULTS = {
    '{"a": 1, "a": 2}': "mood.a",
    '{"a": NaN}': "mood.a",
    '{"a": -Infinity}': "mood.a",
    '{"a": 1e400}': "mood.a",
    '{"a": ' + "7" * 5000 + "}": "mood.a",
    '{"a\\u0000": 1}': "the key 'a\\\\u0000'",
    '{"a": ["\\udc00"]}': "mood.a[0]",
}


@pytest.mark.parametrize(("part", "field"), JSON_FAULTS.items())
def test_values_that_cannot_be_stored_are_noted_where_nothing_depends_on_them(part: str, field: str) -> None:
    text = json.dumps(HOTPOT | {"mood": "?"}).replace('"?"', part)
    good = json.dumps(HOTPOT | {"_id": "good"})
    for content in (f"[{text},{good}]", f"{text}\n{good}"):
        parsed, flaws = read("hotpotqa", content.encode())
        assert all(one.example for one in parsed)
        assert [(flaw.severity, flaw.field) for flaw in flaws] == [("warning", field)]


@pytest.mark.parametrize(("depth", "severity"), [(200, "warning"), (100_000, "error")])
def test_deep_nesting_is_left_out_or_an_error_of_its_line(depth: int, severity: str) -> None:
    deep = json.dumps(HOTPOT | {"mood": "?"}, ensure_ascii=False).replace('"?"', "[" * depth + "]" * depth)
    parsed, flaws = read("hotpotqa", f"{deep}\n{json.dumps(HOTPOT | {'_id': 'next'})}".encode())
    assert [one.example is None for one in parsed] == [severity == "error", False]
    assert flaws[0].severity == severity
    assert "nested" in flaws[0].wrong
    assert samples.written("hotpotqa", [one.example for one in parsed if one.example])


def refusal(name: str, content: bytes) -> Flaw:
    with pytest.raises(Unreadable) as caught:
        read(name, content)
    return caught.value.flaw


BROKEN_FILES: list[tuple[bytes, str, str]] = [
    (b"", "the file", "empty"),
    (b" \n\n", "the file", "empty"),
    (b"\xef\xbb\xbf", "the file", "empty"),
    (b'[\n{"_id": "x"},\n{"_id" "y"}\n]', "line 3", "not JSON near"),
    (b'[\n{"_id": "x"}\n{"_id": "y"}]', "line 3", "found '{'"),
    (b'[\n{"_id": "x"},\n]', "line 3", "not JSON near ']'"),
    (b'[\n{"_id": "x"}', "line 2", "the text ends"),
    (b'[\n{"_id": "x', "line 2", "the text ends inside"),
    (b"[\n", "line 2", "the text ends inside"),
    (b"[]\nmore", "line 2", "more text"),
    ('[\n{"_id": "é"}]'.encode() + b"\xff", "line 2", "not UTF-8"),
    (b"PAR1", "the file", "Parquet"),
    (b"{\n}", "line 1", "it begins with"),
    (b"plain words", "line 1", "it begins with"),
    (gzip.compress(json.dumps([HOTPOT]).encode())[:-20], "the file", "gzip"),
    (b"\x1f\x8bnonsense", "the file", "gzip"),
]


@pytest.mark.parametrize(("content", "place", "wrong"), BROKEN_FILES)
def test_a_broken_file_is_refused_with_the_line_and_the_remedy(content: bytes, place: str, wrong: str) -> None:
    flaw = refusal("hotpotqa", content)
    assert flaw.place == place
    assert wrong in flaw.wrong
    assert flaw.fix


def test_a_broken_line_is_an_error_and_the_next_is_read() -> None:
    good = json.dumps(HOTPOT).encode()
    parsed, flaws = read("hotpotqa", b"\n".join([b'{"_id": "x', b'{"a": "\xff"}', b"", good, b"7", b"{} {}"]))
    assert [one.number for one in parsed] == [1, 2, 3, 4, 5]
    assert [flaw.place for flaw in flaws] == ["line 1", "line 2", "line 5", "line 6"]
    assert parsed[2].example


FILES = {
    "hotpotqa": encoded([HOTPOT]),
    "2wikimultihopqa": encoded([TWOWIKI]),
    "musique": encoded(MUSIQUE),
    "squad": encoded(SQUAD),
    "race": encoded(RACE),
    "jsonl": encoded(JSONL),
}


@pytest.mark.parametrize("name", ["hotpotqa", "musique", "race", "jsonl", "subqa", "dire"])
@pytest.mark.parametrize("actual", FILES)
def test_a_file_of_another_format_is_named(name: str, actual: str) -> None:
    layout = {"hotpotqa", "2wikimultihopqa", "subqa", "dire"}
    if name == actual or (name in layout and actual in layout):
        return
    flaw = refusal(name, FILES[actual])
    assert f"format {actual}" in flaw.fix


def test_a_file_that_is_not_squad_is_refused() -> None:
    assert "look like the format hotpotqa" in refusal("squad", FILES["hotpotqa"]).wrong
    assert "no list data" in refusal("squad", FILES["musique"]).wrong
    assert "a new key is expected" in refusal("squad", b'{"data": [], "data": []}').wrong


@pytest.mark.parametrize("part", ['"\\u0000": 1', '"x": NaN', '"x": {"a": 1, "a": 2}', '"x": "\\ud800"'])
def test_a_squad_file_with_a_field_that_cannot_be_stored_is_read(part: str) -> None:
    parsed, _ = read("squad", encoded(SQUAD).replace(b'"version"', part.encode() + b', "version"', 1))
    assert all(one.example for one in parsed)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for name in samples.FORMATS:
        with pytest.raises(Unreadable):
            samples.read_path(name, tmp_path / "none")
        with pytest.raises(Unreadable):
            samples.read_path(name, tmp_path)


CSV_FILES: list[tuple[bytes, str]] = [
    (b"question,answer,title\n", "columns text are missing"),
    (b"\n", "it is empty"),
    (CSV.encode().replace(b"source", b"id"), "name of another"),
]


@pytest.mark.parametrize(("content", "wrong"), CSV_FILES)
def test_a_broken_table_is_refused(content: bytes, wrong: str) -> None:
    assert wrong in refusal("csv", content).wrong


def test_a_broken_table_row_is_an_error_and_the_next_is_read() -> None:
    head, good = "question,answer,title,text\n", "Q?,tin,T,A tin.\n"
    rows = ["Q?,tin\n", '"Q"x,tin,T,t\n', " ,tin,T,tin\n", "Q?,tin,T,\n", "Q?,gold,T,tin\n", "Q?,t\x00,T,t\x00\n"]
    parsed, flaws = read("csv", (head + "".join(rows) + good).encode())
    assert parsed[-1].example
    assert [(flaw.severity, flaw.place, flaw.field) for flaw in flaws] == [
        ("error", "line 2", "row"),
        ("error", "line 3", "row"),
        ("error", "line 4", "question"),
        ("warning", "line 5", "text"),
        ("warning", "line 6", "answer"),
        ("error", "line 7", "answer"),
        ("error", "line 7", "text"),
    ]
