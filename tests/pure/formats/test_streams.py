"""Files are read as streams: in little memory, packed or not, with any line ends, in pieces of any size."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.formats import FORMATS, json_text
from annotation.formats.base import LateFlaws, Unreadable
from annotation.formats.tables import any_rows
from tests import long_forms
from tests.pure.formats import samples
from tests.pure.formats.samples import CSV, HOTPOT, MUSIQUE, RACE, SQUAD, WORKED, encoded, examples, hub, read

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.soak
@settings(max_examples=long_forms.examples(20, soak=100), deadline=None)
@given(st.lists(values, max_size=6), st.integers(1, 40), st.booleans(), st.none() | st.integers(0, 3))
def test_an_array_is_read_the_same_in_pieces_of_any_size(
    array: list[Any], size: int, ascii_only: bool, indent: int | None
) -> None:
    from annotation.formats.streams import array_rows

    text = json.dumps(array, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "surrogatepass")
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return
    before, json_text.CHUNK = json_text.CHUNK, size
    try:
        rows = list(array_rows(json_text.Window(io.BytesIO(b"\xef\xbb\xbf" + text))))
    finally:
        json_text.CHUNK = before
    assert [row.value for row in rows if not row.faults] == [
        value for value, row in zip(array, rows, strict=True) if not row.faults
    ]


@pytest.mark.parametrize("name", WORKED)
@pytest.mark.parametrize("how", ["gzip", "bom", "crlf", "indented", "utf-8"])
def test_how_a_file_is_packed_and_laid_out_makes_no_difference(name: str, how: str) -> None:
    text = json.dumps(WORKED[name], indent=1 if how in ("crlf", "indented") else None, ensure_ascii=how != "utf-8")
    content = text.replace("\n", "\r\n" if how == "crlf" else "\n").encode()
    content = gzip.compress(content) if how == "gzip" else b"\xef\xbb\xbf" * (how == "bom") + content
    assert [one.example for one in read(name, content)[0]] == examples(name, WORKED[name])


@pytest.mark.parametrize("name", [name for name in WORKED if name != "squad"])
@pytest.mark.parametrize("packed", [False, True])
def test_lines_are_read_as_an_array_is(name: str, packed: bool) -> None:
    lines = b"\xef\xbb\xbf" + b"\r\n\r\n".join(encoded(record) for record in WORKED[name])
    found = read(name, gzip.compress(lines) if packed else lines)[0]
    assert [one.example for one in found] == examples(name, WORKED[name])


def test_tables_are_read_with_any_separator_line_end_and_packing() -> None:
    rows = [one.example for one in read("csv", CSV.encode())[0]]
    assert [one.example for one in read("csv", gzip.compress(b"\xef\xbb\xbf" + CSV.encode()))[0]] == rows
    assert [one.example for one in read("csv", CSV.replace("\r\n", "\n").encode())[0]] == rows
    for separator in ";\t":
        text = (
            f"question{separator}answer{separator}title{separator}text\nQ?{separator}tin{separator}T{separator}A tin.\n"
        )
        [parsed] = read("csv", text.encode())[0]
        assert parsed.example
        assert parsed.example.answer == "tin"


def test_a_parquet_file_of_a_hub_is_read_and_comes_back_as_the_same_records(tmp_path: Path) -> None:
    records = [hub(HOTPOT | {"_id": f"isle-{number}"}) for number in range(600)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), tmp_path / "a.parquet")
    parsed, flaws = samples.read_path("hotpotqa", tmp_path / "a.parquet")
    assert flaws == []
    content = samples.written("hotpotqa", [one.example for one in parsed if one.example])
    assert json.loads(content) == records


def test_a_parquet_value_that_is_no_json_is_refused(tmp_path: Path) -> None:
    record = hub(HOTPOT) | {"odd": b"bytes", "nul": "a\x00", "nan": float("nan")}
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([record]), tmp_path / "a.parquet")
    _, flaws = samples.read_path("hotpotqa", tmp_path / "a.parquet")
    assert [flaw.field for flaw in flaws] == ["odd", "nul", "nan"]
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Unreadable):
        samples.read_path("hotpotqa", tmp_path / "cut.parquet")


def test_parquet_serves_musique_and_our_own_format_too(tmp_path: Path) -> None:
    for name in ("musique", "jsonl"):
        records = [record | {"extra": None} for record in WORKED[name]] if name == "jsonl" else WORKED[name]
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), tmp_path / name)
        parsed, _ = samples.read_path(name, tmp_path / name)
        if name == "musique":
            assert [one.example for one in parsed] == examples(name, records)
        assert len(parsed) == len(records)


def test_race_reads_a_passage_file_and_a_folder_of_them(tmp_path: Path) -> None:
    (tmp_path / "high").mkdir()
    (tmp_path / "high" / "7.txt").write_text(json.dumps(RACE, indent=1), encoding="utf-8")
    (tmp_path / "middle8.json").write_text(json.dumps(RACE | {"id": "m"}), encoding="utf-8")
    (tmp_path / "notes.md").write_text("not a passage", encoding="utf-8")
    parsed, flaws = samples.read_path("race", tmp_path)
    assert flaws == []
    assert [one.example.id for one in parsed if one.example] == ["high7.txt#0", "high7.txt#1", "m#0", "m#1"]
    assert [one.number for one in parsed] == [1, 2, 3, 4]
    single, _ = samples.read_path("race", tmp_path / "high" / "7.txt")
    assert [one.example for one in single] == [one.example for one in parsed[:2]]


def test_subqa_reads_its_three_files_as_a_folder(tmp_path: Path) -> None:
    for name, record in (("ori", HOTPOT), ("sub1", samples.SUB_1), ("sub2", samples.SUB_2)):
        (tmp_path / f"dev_{name}.json").write_bytes(encoded([record]))
    [parsed], flaws = samples.read_path("subqa", tmp_path)
    assert flaws == []
    assert [parsed.example] == examples("subqa", [samples.SUBQA])
    assert parsed.example
    assert [(hop.question, hop.answer, hop.support) for hop in parsed.example.hops] == [
        ("Where was Ada Quill born?", "Farrow", 0),
        ("Which metal is mined on Farrow?", "tin", None),
    ]
    (tmp_path / "dev_sub2.json").write_bytes(encoded([samples.SUB_2] * 2))
    with pytest.raises(Unreadable, match="different numbers"):
        samples.read_path("subqa", tmp_path)
    (tmp_path / "dev_sub2.json").unlink()
    with pytest.raises(Unreadable, match="_sub2"):
        samples.read_path("subqa", tmp_path)


def peak_of_reading(name: str, path: Path) -> tuple[int, int]:
    """(records, peak bytes that Python held) of streaming a file."""
    tracemalloc.start()
    try:
        count = sum(1 for one in FORMATS[name].read(path) if not isinstance(one, LateFlaws) and one.example)
        return count, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def padded(number: int) -> dict[str, Any]:
    sentences = [f"Sentence {number} of {at}, on tin. " + "x" * 400 for at in range(100)]
    return HOTPOT | {"_id": str(number), "context": [*HOTPOT["context"], ["Long", sentences]]}


@pytest.mark.soak
@pytest.mark.parametrize("layout", ["array", "lines", "gzip"])
def test_a_file_of_50_megabytes_is_read_in_less_than_20(tmp_path: Path, layout: str) -> None:
    path, size = tmp_path / "big", 1150
    separator = b"\n" if layout == "lines" else b",\n"
    content = separator.join(encoded(padded(number)) for number in range(size))
    content = content if layout == "lines" else b"[" + content + b"]"
    assert len(content) > 50_000_000
    path.write_bytes(gzip.compress(content, 1) if layout == "gzip" else content)
    del content
    count, peak = peak_of_reading("hotpotqa", path)
    assert count == size
    assert peak < 20_000_000


def test_a_large_squad_file_is_read_article_by_article(tmp_path: Path) -> None:
    text = "Its mines yield tin. " * 500
    qas = [{"id": "", "question": "What?", "answers": [{"text": "tin", "answer_start": 16}]}]
    with (tmp_path / "big").open("w", encoding="utf-8") as file:
        file.write('{"data": [')
        for number in range(1000):
            qas[0]["id"] = str(number)
            paragraphs = [{"context": text, "qas": qas}, {"context": text, "qas": []}]
            file.write("," * bool(number) + json.dumps({"title": str(number), "paragraphs": paragraphs}))
        file.write('], "version": "1.1"}')
    count, peak = peak_of_reading("squad", tmp_path / "big")
    assert count == 1000
    assert peak < 20_000_000


def test_a_value_larger_than_any_record_is_refused_without_reading_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_text, "MAX_RECORD", 1 << 20)
    path = tmp_path / "big"
    path.write_bytes(b'[{"_id": "' + b"x" * 20_000_000 + b'"}]')
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match="million characters"):
            list(FORMATS["hotpotqa"].read(path))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_lines_longer_than_what_is_looked_at_are_records_each(tmp_path: Path) -> None:
    long = [{"q": str(number), "text": "x" * 200_000} for number in range(3)]
    file = tmp_path / "long.jsonl"
    file.write_text("\n".join(json.dumps(record) for record in long))
    assert [row.value["q"] for row in any_rows(file)] == ["0", "1", "2"]
    file.write_text("\n".join(["{" + "x" * 200_000, *map(json.dumps, long)]))
    assert [row.value and row.value["q"] for row in any_rows(file)] == [None, "0", "1", "2"]
    file.write_text(json.dumps({"data": long}))
    assert [row.value["q"] for row in any_rows(file)] == ["0", "1", "2"]


def test_writing_is_streamed_too() -> None:
    [example] = examples("hotpotqa", [HOTPOT])
    seen: list[int] = []

    class Out(io.BytesIO):
        def write(self, piece: Any) -> int:
            seen.append(len(piece))
            return len(piece)

    assert FORMATS["hotpotqa"].write((replace(example, id=str(k)) for k in range(1000)), Out()) == 1000
    assert max(seen) < 5000


@pytest.mark.parametrize("name", FORMATS)
def test_no_examples_make_a_file_without_records(name: str) -> None:
    out = io.BytesIO()
    assert FORMATS[name].write([], out) == 0
    assert out.getvalue() in (b"[]\n", b"", b'{"version": "1.1", "data": []}\n', b"id,question,answer,title,text\r\n")


def test_every_format_is_listed_by_its_name() -> None:
    names = "hotpotqa 2wikimultihopqa musique squad race jsonl csv dire subqa disconnection"
    assert [name for name in FORMATS if name in names.split()] == names.split()
    assert all(name == each.name and each.title and each.suffix for name, each in FORMATS.items())


def test_worked_records_say_what_the_source_says() -> None:
    [hotpot, _] = examples("hotpotqa", WORKED["hotpotqa"])
    assert (hotpot.supports, hotpot.facts, hotpot.shape) == ((0, 1), ((0, 0), (1, 1)), "bridge")
    assert (hotpot.answerable, hotpot.group, dict(hotpot.extra)) == (None, "", {"level": "hard"})
    [musique] = examples("musique", [MUSIQUE])
    assert (musique.supports, musique.shape, musique.group) == ((0, 2), "2hop", "2hop__11_22")
    assert musique.answers == ("tin", "tin ore", "Sn")
    assert [(hop.id, hop.support) for hop in musique.hops] == [(11, 2), (22, 0)]
    squad = examples("squad", SQUAD)
    assert [example.answers for example in squad] == [("tin",), (), ("an island",)]
    assert [example.answerable for example in squad] == [True, False, True]
    race = examples("race", [RACE])
    assert [(example.id, example.answers, example.group) for example in race] == [
        ("high7.txt#0", ("tin",), "high7.txt"),
        ("high7.txt#1", ("An island",), "high7.txt"),
    ]
