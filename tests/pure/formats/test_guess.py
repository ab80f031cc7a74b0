"""Formats are told from the first record."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from annotation.formats import FORMATS
from annotation.formats.guess import guess

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"id": "1", "question": "?", "paragraphs": [{"title": "", "text": ""}]}, "jsonl"),
        ({"id": "1", "question": "?", "paragraphs": [{"title": "", "paragraph_text": ""}]}, "musique"),
        ({"_id": "1", "question": "?", "context": [["T", ["s"]]]}, "hotpotqa"),
        ({"anything": "else"}, ""),
        ([1], ""),
    ],
)
def test_it_knows_a_record(tmp_path: Path, record: object, name: str) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_text(json.dumps(record) + "\n")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert guess(plain) == guess(packed) == name


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"{broken", b"\x1f\x8bbroken", b"words"])
def test_it_says_nothing_about_what_it_cannot_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert guess(path) == ""


@pytest.mark.parametrize(
    ("header", "name"),
    [("id;question;answer;title;text", "csv"), ("text\ttitle\tanswer\tquestion\tmore", "csv"), ("q,ans,passage", "")],
)
def test_it_knows_a_table_by_its_columns(tmp_path: Path, header: str, name: str) -> None:
    file = tmp_path / "wells"
    file.write_text(f"{header}\n")
    assert guess(file) == name


@pytest.mark.skipif(not DATA.exists(), reason="the real records are not here")
@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("hotpotqa_dev_fullwiki_20.json", "hotpotqa"),
        ("musique_full_dev_60.jsonl", "musique"),
        ("2wikimultihopqa_dev_150.json", "2wikimultihopqa"),
        ("squad_dev_v2.0_5_articles.json", "squad"),
    ],
)
def test_it_knows_real_files(file: str, name: str) -> None:
    assert guess(DATA / file) == name
    assert name in FORMATS


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_table_is_told_whatever_ends_its_lines(tmp_path: Path, end: str) -> None:
    path = tmp_path / "my.csv"
    path.write_bytes(f"question,answer,title,text{end}Who?,Ada,Well,Ada dug it.{end}".encode())
    assert guess(path) == "csv"
