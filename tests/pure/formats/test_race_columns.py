"""RACE as dataset hubs have it, one question a row: in, out again, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.formats.guess import guess
from tests.pure.formats import samples
from tests.pure.formats.samples import RACE, Record, examples, read_path, there_and_back, value_of, written
from tests.pure.formats.test_refusals import flaws_of


def rows(*passages: Record) -> list[Record]:
    return [
        {"example_id": p["id"], "article": p["article"], "answer": letter, "question": question, "options": options}
        for p in passages
        for letter, question, options in zip(p["answers"], p["questions"], p["options"], strict=True)
    ]


TWO = rows(RACE, RACE | {"id": "middle8.txt"})


def test_the_rows_are_the_questions_of_the_passages() -> None:
    plain, columns = examples("race", [RACE, RACE | {"id": "middle8.txt"}]), examples("race", TWO)
    assert [one.id for one in columns] == ["high7.txt#0", "high7.txt#1", "middle8.txt#0", "middle8.txt#1"]
    for ours, theirs in zip(columns, plain, strict=True):
        own = (ours.id, ours.question, ours.paragraphs, ours.answers, ours.options, ours.group)
        assert own == (theirs.id, theirs.question, theirs.paragraphs, theirs.answers, theirs.options, theirs.group)


def test_the_layout_comes_back_as_such_with_its_keys_in_order() -> None:
    odd = [row | {"level": k} for k, row in enumerate(TWO)]
    hidden = [{key: value for key, value in row.items() if key != "answer"} for row in TWO]
    apart = [TWO[0], TWO[2], TWO[1], TWO[3]]
    equal = [TWO[0] | {"answer": "D"}, *TWO[1:]]  # D is the same text as B
    for result in (TWO, odd, hidden, apart, equal):
        after = there_and_back("race", result)
        assert after == result
        assert [list(row) for row in after] == [list(row) for row in result]
    assert there_and_back("race", [RACE, *TWO[2:]]) == [RACE, *TWO[2:]]


def test_questions_keep_their_ids_when_some_are_left_out() -> None:
    kept = examples("race", TWO)[1::2]
    content = written("race", kept)
    assert [row["question_id"] for row in value_of(content)] == ["high7.txt#1", "middle8.txt#1"]
    assert [one.example for one in samples.read("race", content)[0]] == kept


def test_parquet_is_read_and_the_format_recognised(tmp_path: Path) -> None:
    file = tmp_path / "race.parquet"
    pq.write_table(pa.Table.from_pylist(TWO), file)
    assert guess(file) == "race"
    parsed, flaws = read_path("race", file)
    assert not flaws
    assert [one.example for one in parsed] == examples("race", TWO)


@pytest.mark.parametrize(
    ("change", "field", "wrong"),
    [
        ({"answer": "E"}, "answer", "found the text 'E'"),
        ({"answer": 1}, "answer", "found the number 1"),
        ({"options": "tin"}, "options", "found the text 'tin'"),
        ({"article": ""}, "article", "the text is empty"),
        ({"example_id": []}, "example_id", "found a list"),
        ({"question": 5}, "question", "found the number 5"),
        ({"question_id": "middle8.txt#0"}, "id", "the id was used before, in record 3"),
    ],
)
def test_a_broken_row_is_refused_with_its_field(change: Record, field: str, wrong: str) -> None:
    found = flaws_of("race", [*TWO[:3], TWO[3] | change])
    assert [(flaw.severity, flaw.field, flaw.wrong) for flaw in found][:1] == [("error", field, wrong)]
    assert found[0].place == "record 4"
