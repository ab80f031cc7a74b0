"""Support in columns of a user's own: flags, titles, numbers and facts, and what is none of these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation.models import Dataset
from tests.flow.data.mapped_files import lines, mapped, mapping_words, table
from tests.management.conftest import Run, refused, run

pytestmark = pytest.mark.django_db
__all__ = ["run"]

INN, PORT, WELL = "The inn is old.", "Port Anselm is a harbour.", "Mara Quell dug the well."
TEXTS = [INN, PORT, WELL]
TWO, ONE = TEXTS[:2], TEXTS[:1]
TITLES = ["Inn", "Port", "Well"]
MAPS = ["question=q", "paragraph=texts", "title=titles", "support=gold"]
MAPPED = mapping_words(*MAPS)


LEFT_OUT = object()


def row(gold: Any, texts: list[Any] = TEXTS, titles: list[Any] | None = TITLES) -> dict[str, Any]:
    record = {"q": "Who dug it?", "texts": texts, "titles": titles and titles[: len(texts)]}
    return record if gold is LEFT_OUT else {**record, "gold": gold}


@pytest.mark.parametrize(
    ("gold", "texts", "supports"),
    [
        ([0, 1, 1], TEXTS, (1, 2)),
        ([1.0, 0.0, 1.0], TEXTS, (0, 2)),
        (["0", "1", "1"], TEXTS, (1, 2)),
        ([True, False, True], TEXTS, (0, 2)),
        ([True, None, None], TEXTS, (0,)),
        (["yes", "No", " TRUE "], TEXTS, (0, 2)),
        ("0, 1, 1", TEXTS, (1, 2)),
        ("[0, 1, 1]", TEXTS, (1, 2)),
        ([0, 0], TWO, ()),
        ([1, 1], TWO, (0, 1)),
        ([False, True], TWO, (1,)),
        ([1], ONE, (0,)),
        ("yes", ONE, (0,)),
        (False, ONE, ()),
        ([0, 0, 1], [INN, "", PORT], (1,)),  # a flag for each value, also for the empty one
        ([0, 0, 0], [INN, "", PORT], ()),
        ([True, False], [INN, "", PORT], (0,)),  # or for each paragraph
        ([False, True], [INN, "", PORT], (1,)),
        ([0, 1], TEXTS, (0, 1)),  # fewer than paragraphs: numbers
        ([2], TEXTS, (2,)),
        (2, TEXTS, (2,)),
        ("2 0", TEXTS, (0, 2)),
        ([2.0], TEXTS, (2,)),
        ([0, 2, 2], TEXTS, (0, 2)),
        (["Well", "Inn", "Inn"], TEXTS, (0, 2)),
        ("Well", TEXTS, (2,)),
        (["Well", None, ""], TEXTS, (2,)),
        ([], TEXTS, ()),
        ([[]], TEXTS, ()),
        (None, TEXTS, None),
        ("", TEXTS, None),
        ([None, None], TEXTS, None),
        (LEFT_OUT, TEXTS, None),
    ],
)
def test_support_is_read_as_what_it_can_only_be(
    run: Run, tmp_path: Path, gold: Any, texts: list[Any], supports: tuple[int, ...] | None
) -> None:
    file = lines(tmp_path / "my.jsonl", [row([2]), row(gold, texts)])
    assert mapped(run, file, *MAPS)[1].supports == supports


@pytest.mark.parametrize(
    ("gold", "texts", "text"),
    [
        ([0, 1], TWO, "gold: [0, 1] can be flags or numbers of paragraphs. Write flags as true and false, or give"),
        ("1 0", TWO, "gold: [1, 0] can be flags or numbers of paragraphs."),
        ([0], ONE, "gold: [0] can be a flag or numbers of paragraphs."),
        ([0, 1], [INN, PORT, ""], "gold: [0, 1] can be flags or numbers of paragraphs."),
        ([0, 0, 1, 1], TEXTS, "gold: 4 flags for 3 paragraphs. Give one flag for each paragraph, or each number once."),
        ([True, False], TEXTS, "gold: 2 flags for 3 paragraphs."),
        ([True, False, 2], TEXTS, "gold: found the number 2. Give true or false for each paragraph."),
        ([True, "Well"], TEXTS, "gold: found the text 'Well'. Give true or false for each paragraph."),
        ([0, 1, 0], [INN, "", PORT], "gold: flag 2 of 3 is true, but there is no such paragraph."),
        ([3], TEXTS, "gold: there is no paragraph 3. Number the paragraphs from 0, or give their titles."),
        ([-1], TEXTS, "gold: there is no paragraph -1."),
        ("-1", TEXTS, "gold: there is no paragraph '-1'."),
        (12345678901, TEXTS, "gold: there is no paragraph 12345678901."),
        ([1.5], TEXTS, "gold: found the number 1.5. Give flags, titles, whole numbers, or pairs"),
        (["Wall"], TEXTS, "gold: there is no paragraph 'Wall'. Number the paragraphs from 0, or give their titles."),
        ([{"title": "Well"}], TEXTS, "gold[]: found an object. Map one of its fields, such as gold[].title."),
        ([[0, 1]], TEXTS, "gold: found a list. Give flags, titles, whole numbers, or pairs"),
        ([["Well"]], TEXTS, "gold: found a list."),
        ([["Well", -1]], TEXTS, "gold: found a list."),
        ([["Wall", 0]], TEXTS, "gold: there is no paragraph 'Wall'."),
        (["Well", 0], TEXTS, "gold: found titles and numbers. Give one of both; a title with its sentence is a pair"),
    ],
)
def test_what_support_cannot_be_is_refused_with_line_field_and_fix(
    run: Run, tmp_path: Path, gold: Any, texts: list[Any], text: str
) -> None:
    file = lines(tmp_path / "my.jsonl", [row([2]), row(gold, texts)])
    ended = run("import_dataset", file, "--name", "mine", *MAPPED)
    refused(ended, text)
    assert "line 2" in ended.err
    assert not Dataset.objects.exists()


def test_untitled_paragraphs_are_numbered_and_an_empty_cell_is_none_of_them(run: Run, tmp_path: Path) -> None:
    rows = [row(["Well", ""], titles=[None, "", "Well"]), row([1, 2], titles=None), row([0, 1, 0], titles=[])]
    items = mapped(run, lines(tmp_path / "my.jsonl", rows), *MAPS)
    assert [item.supports for item in items] == [(2,), (1, 2), (1,)]
    assert [[p.title for p in item.paragraphs] for item in items] == [["", "", "Well"], ["", "", ""], ["", "", ""]]
    refused(
        run("import_dataset", lines(tmp_path / "b.jsonl", [row("Well", titles=[])]), "--name", "b", *MAPPED),
        "gold: there is no paragraph 'Well'. Number the paragraphs from 0, or map their titles too.",
    )


def test_a_title_that_looks_like_a_number_or_a_truth_is_a_title(run: Run, tmp_path: Path) -> None:
    rows = [row(["1", "No"], titles=["0", "1", "No"]), row("1", titles=["0", "1", "No"])]
    assert [item.supports for item in mapped(run, lines(tmp_path / "my.jsonl", rows), *MAPS)] == [(1, 2), (1,)]


def test_of_paragraphs_with_the_same_title_the_first_is_taken_with_a_warning(run: Run, tmp_path: Path) -> None:
    file = lines(tmp_path / "my.jsonl", [row(["Inn"], titles=["Port", "Inn", "Inn"])])
    assert mapped(run, file, *MAPS)[0].supports == (1,)
    (flaw,) = Dataset.objects.get(slug="mine").report["flaws"]
    assert (flaw["severity"], flaw["field"]) == ("warning", "gold")
    assert flaw["wrong"] == "2 paragraphs have the title 'Inn', and the first is taken"


SENTENCES = [["The inn is old.", "It burnt."], ["Port Anselm is a harbour."], ["The well is deep.", "Mara dug it."]]


def test_pairs_of_a_title_and_a_sentence_are_facts(run: Run, tmp_path: Path) -> None:
    pairs = [["Well", 1], ["Inn", 0], ["Well", 7]]
    items = mapped(run, lines(tmp_path / "my.jsonl", [row(pairs, SENTENCES), row(pairs[:2])]), *MAPS)
    assert [(item.supports, item.facts) for item in items] == [((0, 2), ((2, 1), (0, 0))), ((0, 2), None)]
    (flaw,) = Dataset.objects.get(slug="mine").report["flaws"]
    assert (flaw["place"], flaw["wrong"]) == ("line 1", "'Well' has no sentence 7")


def test_hotpotqa_with_other_names_is_understood(run: Run, tmp_path: Path) -> None:
    context = [[title, sentences] for title, sentences in zip(TITLES, SENTENCES, strict=True)]
    record = {"frage": "Who dug it?", "ctx": [*context, ["Wall", []]], "facts": [["Well", 1], ["Port", 0]]}
    (item,) = mapped(run, lines(tmp_path / "my.jsonl", [record]), "question=frage", "paragraph=ctx", "support=facts")
    assert [p.title for p in item.paragraphs] == TITLES
    assert (item.supports, item.facts) == ((1, 2), ((2, 1), (1, 0)))


def test_flags_beside_the_paragraphs_may_be_0_and_1_for_two_of_them(run: Run, tmp_path: Path) -> None:
    record = {"q": "Who?", "ctxs": [{"text": INN, "gold": 0}, {"text": WELL, "gold": 1}]}
    maps = ["question=q", "paragraph=ctxs[].text", "support=ctxs[].gold"]
    assert mapped(run, lines(tmp_path / "my.jsonl", [record]), *maps)[0].supports == (1,)
    columns = {"q": "Who?", "p_1": INN, "p_2": WELL, "p_3": "", "gold_1": 1.0, "gold_2": "0.0", "gold_3": ""}
    file = table(tmp_path / "my.csv", [columns])
    ended = run("import_dataset", file, "--name", "b", *mapping_words("question=q", "paragraph=p_*", "support=gold_*"))
    assert ended.code == 0, ended.err
    assert Dataset.objects.get(slug="b").items.get().example.supports == (0,)


def test_flags_beside_the_paragraphs_are_no_grades(run: Run, tmp_path: Path) -> None:
    record = {"q": "Who?", "ctxs": [{"text": INN, "gold": 0}, {"text": PORT, "gold": 1}, {"text": WELL, "gold": 2}]}
    maps = ["question=q", "paragraph=ctxs[].text", "support=ctxs[].gold"]
    refused(
        run("import_dataset", lines(tmp_path / "my.jsonl", [record]), "--name", "mine", *mapping_words(*maps)),
        "ctxs[].gold: found the number 2. Give true or false for each paragraph.",
    )


def test_numbers_in_another_list_than_the_paragraphs_are_no_flags(run: Run, tmp_path: Path) -> None:
    record = {"q": "Who?", "ctxs": [{"text": text} for text in TEXTS], "evidence": [{"at": 0}, {"at": 1}]}
    maps = ["question=q", "paragraph=ctxs[].text", "support=evidence[].at"]
    assert mapped(run, lines(tmp_path / "my.jsonl", [record]), *maps)[0].supports == (0, 1)


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        (True, "gold: found true. Number the paragraphs from 1, or map flags to support."),
        ([0, 1, 0], "gold: there is no paragraph 0. Number the paragraphs from 1, or give their titles."),
        ({"at": 1}, "gold: found an object. Map one of its fields, such as gold.at."),
    ],
)
def test_numbers_from_1_are_neither_flags_nor_0(run: Run, tmp_path: Path, gold: Any, text: str) -> None:
    file = lines(tmp_path / "my.jsonl", [row([3, 1]), row(gold)])
    refused(run("import_dataset", file, "--name", "mine", *mapping_words(*MAPS[:-1], "support_from_1=gold")), text)


def test_cells_hold_flags_and_empty_lists(run: Run, tmp_path: Path) -> None:
    cells = {"q": "Who?", "a": "[]", "texts": json.dumps(TEXTS), "titles": json.dumps(TITLES), "can": "[]"}
    golds = ["[]", "[true, false, true]", "[1, 0, 1]", '[["Well", 0]]', ""]
    file = table(tmp_path / "my.csv", [cells | {"gold": gold} for gold in golds])
    items = mapped(run, file, *MAPS, "answer=a", "answerable=can")
    assert [item.supports for item in items] == [(), (0, 2), (0, 2), (2,), None]
    assert {(item.answers, item.answerable) for item in items} == {((), None)}


def test_parquet_holds_flags_numbers_and_nulls(run: Run, tmp_path: Path) -> None:
    rows = [row([0, 1, 1]), row(None), row([]), row([2])]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "my.parquet")
    assert [item.supports for item in mapped(run, tmp_path / "my.parquet", *MAPS)] == [(1, 2), None, (), (2,)]
