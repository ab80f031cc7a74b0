"""What is wrong with a record is said with its place, its id, the field and what would be right."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from annotation.formats.base import Flaw
from tests.pure.formats import samples
from tests.pure.formats.samples import (
    DIRE,
    HOTPOT,
    JSONL,
    MUSIQUE,
    RACE,
    SQUAD,
    SUBQA,
    TWOWIKI,
    WORKED,
    encoded,
    hub,
    read,
    twins,
)

Change = Callable[[Any], object]


def flaws_of(name: str, value: Any) -> list[Flaw]:
    return read(name, encoded(value))[1]


def changed(record: Any, change: Change) -> Any:
    copy = deepcopy(record)
    change(copy)
    return copy


def put(*path: Any) -> Change:
    """A change that puts the last of the path at the place that the others name."""

    def change(record: Any) -> None:
        *before, last, value = path
        for step in before:
            record = record[step]
        record[last] = value

    return change


def drop(key: str) -> Change:
    return lambda record: record.pop(key)


HOTPOT_ERRORS: list[tuple[Change, str]] = [
    (drop("question"), "question"),
    (put("_id", 5.5), "_id"),
    (put("_id", ["a"]), "_id"),
    (put("question", " \n"), "question"),
    (put("question", None), "question"),
    (put("answer", ["tin"]), "answer"),
    (put("type", 2), "type"),
    (put("context", "text"), "context"),
    (put("context", 1, ["Farrow"]), "context[1]"),
    (put("context", 1, 0, 3), "context[1][0]"),
    (put("context", 1, 1, 0, 7), "context[1][1][0]"),
    (put("context", 1, 1, "text"), "context[1][1]"),
    (put("supporting_facts", 0, 1, "0"), "supporting_facts[0]"),
    (put("supporting_facts", 0, 1, True), "supporting_facts[0]"),
    (put("supporting_facts", 0, 1, 1.0), "supporting_facts[0]"),
    (put("supporting_facts", 0, "Farrow"), "supporting_facts[0]"),
    (put("supporting_facts", "Farrow"), "supporting_facts"),
    (put("answer", "a\x00b"), "answer"),
    (put("question", "half \ud83d"), "question"),
]


KEPT: list[tuple[str, Any, Change, str]] = [
    ("hotpotqa", HOTPOT, drop("_id"), "_id"),
    ("hotpotqa", HOTPOT, put("_id", 5), "_id"),
    ("hotpotqa", HOTPOT, drop("context"), "context"),
    ("hotpotqa", HOTPOT, put("context", 2, 0, None), "context[2]"),
    ("hotpotqa", HOTPOT, put("answer", True), "answer"),
    ("hotpotqa", HOTPOT, put("@hotpotqa", {}), "@hotpotqa"),
    ("hotpotqa", HOTPOT, put("mood", "a\x00b"), "mood"),
    ("hotpotqa", HOTPOT, put("mood", "half \ud83d"), "mood"),
    ("musique", MUSIQUE, put("id", ""), "id"),
    ("musique", MUSIQUE, put("paragraphs", 1, "title", None), "paragraphs[1].title"),
    ("musique", MUSIQUE, lambda record: record["paragraphs"][1].pop("idx"), "paragraphs[1].idx"),
    ("musique", MUSIQUE, put("paragraphs", 1, "score", "a\x00b"), "paragraphs[1].score"),
    ("jsonl", JSONL, drop("id"), "id"),
    ("jsonl", JSONL, lambda record: record["paragraphs"][1].pop("title"), "paragraphs[1].title"),
    ("race", RACE, drop("id"), "id"),
    ("race", RACE, put("id", 4), "id"),
]


def test_squad_without_context_or_offsets_is_read_and_written_again() -> None:
    qas = [{"id": "a", "question": "Who?", "answers": [{"text": "Falk"}]}]
    for paragraph in ({"qas": qas}, {"context": "Bees are kept here.", "qas": qas}):
        parsed, flaws = read("squad", encoded({"data": [{"title": "Bees", "paragraphs": [paragraph]}]}))
        assert [one.example.answers for one in parsed if one.example] == [("Falk",)]
        assert {flaw.severity for flaw in flaws} == {"warning"}
        again = read("squad", samples.written("squad", [one.example for one in parsed if one.example]))[0]
        assert [one.example and one.example.answers for one in again] == [("Falk",)]


@pytest.mark.parametrize(("name", "record", "change", "field"), KEPT)
def test_what_is_missing_or_odd_is_noted_and_the_record_kept(
    name: str, record: Any, change: Change, field: str
) -> None:
    parsed, flaws = read(name, encoded([changed(record, change)]))
    assert all(one.example for one in parsed)
    assert {"warning"} == {flaw.severity for flaw in flaws}
    assert field in {flaw.field for flaw in flaws}
    assert read(name, samples.written(name, [one.example for one in parsed if one.example]))[0][0].example


@pytest.mark.parametrize(("change", "field"), HOTPOT_ERRORS)
def test_a_broken_hotpotqa_record_is_refused_with_its_path(change: Change, field: str) -> None:
    parsed, flaws = read("hotpotqa", encoded([HOTPOT | {"_id": "first"}, changed(HOTPOT, change)]))
    assert parsed[1].example is None
    assert [(flaw.severity, flaw.place, flaw.field) for flaw in flaws] == [("error", "record 2", field)]
    assert flaws[0].record_id in ("isle-1", "")
    assert flaws[0].wrong
    assert flaws[0].fix


def test_a_flaw_reads_as_a_sentence() -> None:
    [flaw] = flaws_of("hotpotqa", [changed(HOTPOT, put("supporting_facts", 0, 1, "0"))])
    assert str(flaw) == (
        'record 1 (id isle-1), supporting_facts[0]: found a list. Give a title and a whole number, such as ["Oslo", 0].'
    )


def test_hub_columns_of_different_length_are_refused() -> None:
    for key in ("context", "supporting_facts"):
        [flaw] = flaws_of("hotpotqa", [changed(hub(HOTPOT), lambda r, key=key: r[key]["title"].pop())])
        assert (flaw.severity, flaw.field) == ("error", key)


STEP = ("question_decomposition", 0)
MUSIQUE_ERRORS: list[tuple[Change, str]] = [
    (put("paragraphs", {}), "paragraphs"),
    (put("paragraphs", 1, 5), "paragraphs[1]"),
    (put("paragraphs", 1, "idx", 0), "paragraphs[1].idx"),
    (put("paragraphs", 1, "idx", "1"), "paragraphs[1].idx"),
    (put("paragraphs", 1, "title", 3), "paragraphs[1].title"),
    (put("paragraphs", 1, "paragraph_text", []), "paragraphs[1].paragraph_text"),
    (put("paragraphs", 1, "is_supporting", 1), "paragraphs[1].is_supporting"),
    (put("question_decomposition", 0, "question", ""), "question_decomposition[0].question"),
    (put("question_decomposition", 0, "answer", 3), "question_decomposition[0].answer"),
    (put("question_decomposition", 0, "id", 1.5), "question_decomposition[0].id"),
    (put(*STEP, "paragraph_support_idx", True), "question_decomposition[0].paragraph_support_idx"),
    (put("question_decomposition", 7), "question_decomposition"),
    (put("answer_aliases", ["Sn", 2]), "answer_aliases[1]"),
    (put("answerable", "yes"), "answerable"),
    (put("id", []), "id"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "field"), MUSIQUE_ERRORS)
def test_a_broken_musique_record_is_refused_with_its_path(change: Change, field: str) -> None:
    lines = [MUSIQUE | {"id": "first"}, changed(MUSIQUE, change)]
    parsed, flaws = read("musique", "\n".join(map(json.dumps, lines)).encode())
    assert parsed[1].example is None
    assert [(flaw.severity, flaw.place, flaw.field) for flaw in flaws] == [("error", "line 2", field)]


def test_musique_names_references_and_supports_that_lead_nowhere_and_keeps_the_record() -> None:
    record = changed(MUSIQUE, put("question_decomposition", 0, "question", "#2?"))
    record["question_decomposition"][1]["paragraph_support_idx"] = 9
    parsed, flaws = read("musique", encoded([record]))
    assert parsed[0].example
    assert [(flaw.severity, flaw.field) for flaw in flaws] == [
        ("warning", "question_decomposition[1].paragraph_support_idx"),
        ("warning", "question_decomposition[0].question"),
    ]


def test_an_id_may_name_one_answerable_and_one_unanswerable_record_and_no_third() -> None:
    assert flaws_of("musique", twins()) == []
    assert flaws_of("musique", twins()[::-1]) == []
    for third in twins():
        [flaw] = flaws_of("musique", [*twins(), third])
        assert (flaw.severity, flaw.place, flaw.field) == ("error", "record 3", "id")
    [flaw] = flaws_of("musique", [MUSIQUE, MUSIQUE])
    assert flaw.severity == "error"


def test_an_id_without_its_twin_is_named_at_the_end_and_kept() -> None:
    alone = MUSIQUE | {"id": "2hop__5_6"}
    parsed, flaws = read("musique", encoded([alone, *twins()]))
    assert len(parsed) == 3
    assert all(one.example for one in parsed)
    assert [(f.severity, f.place, f.record_id, f.field) for f in flaws] == [("warning", "record 1", "2hop__5_6", "id")]
    assert flaws_of("musique", [alone, MUSIQUE]) == []


@pytest.mark.parametrize("name", ["hotpotqa", "2wikimultihopqa", "subqa", "jsonl"])
def test_an_id_used_before_is_refused(name: str) -> None:
    records = [record | {"group": ""} if name == "jsonl" else record for record in WORKED[name][:1] * 2]
    [flaw] = [flaw for flaw in flaws_of(name, records) if flaw.severity == "error"]
    assert (flaw.place, flaw.field) == ("record 2", "id")
    assert "record 1" in flaw.wrong


def test_facts_and_answers_that_the_context_lacks_are_warned_of_and_kept() -> None:
    record = HOTPOT | {"answer": "gold", "supporting_facts": [["Elsewhere", 0], ["Farrow", 8], ["Farrow", -1]]}
    parsed, flaws = read("hotpotqa", encoded([record]))
    assert parsed[0].example
    assert {flaw.severity for flaw in flaws} == {"warning"}
    paths = ["supporting_facts[0]", "supporting_facts[1]", "supporting_facts[2]", "answer"]
    assert [flaw.field for flaw in flaws] == paths


@pytest.mark.parametrize("answer", ["yes", "no", "TIN", "its  mines", "Port Ember"])
def test_an_answer_is_not_missed_where_it_needs_no_place_or_differs_in_case(answer: str) -> None:
    assert flaws_of("hotpotqa", [HOTPOT | {"answer": answer}]) == []


def test_an_unanswerable_question_need_not_have_its_answer_in_the_context() -> None:
    assert flaws_of("musique", twins()) == []
    assert [f.field for f in flaws_of("musique", [twins()[1] | {"answerable": True}])] == ["answer"]


QA = ("data", 0, "paragraphs", 0, "qas", 0)
IN_QA = "data[0].paragraphs[0].qas[0]"
SQUAD_ERRORS: list[tuple[Change, str]] = [
    (put(*QA, "answers", 0, "answer_start", 36), f"{IN_QA}.answers[0].answer_start"),
    (put(*QA, "answers", 0, "answer_start", -1), f"{IN_QA}.answers[0].answer_start"),
    (put(*QA, "answers", 0, "answer_start", 99999), f"{IN_QA}.answers[0].answer_start"),
    (put(*QA, "answers", 0, "answer_start", True), f"{IN_QA}.answers[0].answer_start"),
    (put(*QA, "answers", 0, "text", ""), f"{IN_QA}.answers[0].text"),
    (put(*QA, "answers", 0, "tin"), f"{IN_QA}.answers[0]"),
    (put(*QA, "answers", {}), f"{IN_QA}.answers"),
    (put(*QA, "is_impossible", 0), f"{IN_QA}.is_impossible"),
    (put(*QA, "id", []), f"{IN_QA}.id"),
    (put(*QA, "question", ""), f"{IN_QA}.question"),
    (put(*QA, "title", "x"), f"{IN_QA}.question"),
    (put(*QA[:-1], 0, []), f"{IN_QA}.question"),
    (put(*QA[:-2], "context", 5), "data[0].paragraphs[0].context"),
    (put(*QA[:-2], "qas", 5), "data[0].paragraphs[0].qas"),
    (put(*QA[:-3], 0, "x"), "data[0].paragraphs[0]"),
    (put("data", 0, "title", 3), "data[0].title"),
    (put("data", 0, "paragraphs", None), "data[0].paragraphs"),
    (put("data", 0, "x"), "data[0]"),
]


@pytest.mark.parametrize(("change", "field"), SQUAD_ERRORS)
def test_a_broken_squad_part_is_refused_with_its_path_and_the_rest_is_read(change: Change, field: str) -> None:
    value = changed(SQUAD, change)
    value["data"].append(changed(SQUAD["data"][0], drop("title")) | {"title": "B", "paragraphs": []})
    flaws = flaws_of("squad", value)
    assert {(flaw.severity, flaw.field) for flaw in flaws} == {("error", field)}


def test_a_squad_answer_out_of_place_is_told_its_place() -> None:
    [flaw] = flaws_of("squad", changed(SQUAD, put(*QA, "answers", 0, "answer_start", 3)))
    assert (flaw.wrong, flaw.fix) == ("the answer does not stand at 3", "It stands at 37")


RACE_ERRORS: list[tuple[Change, str]] = [
    (put("answers", 0, "E"), "answers[0]"),
    (put("answers", 0, "b"), "answers[0]"),
    (put("answers", 0, 1), "answers[0]"),
    (put("options", 1, 0, None), "options[1][0]"),
    (put("questions", 0, ""), "questions[0]"),
    (put("options", [["a"]]), "options"),
    (put("answers", ["A"]), "answers"),
    (drop("options"), "options"),
    (drop("article"), "article"),
    (put("id", []), "id"),
    (put("question_ids", ["x"]), "question_ids"),
    (put("question_ids", ["x", 4]), "question_ids[1]"),
]


@pytest.mark.parametrize(("change", "field"), RACE_ERRORS)
def test_a_broken_race_passage_is_refused_with_its_path(change: Change, field: str) -> None:
    flaws = flaws_of("race", [changed(RACE, change)])
    assert [(flaw.severity, flaw.field) for flaw in flaws] == [("error", field)]


OTHER_ERRORS: list[tuple[str, Any, Change, str]] = [
    ("2wikimultihopqa", TWOWIKI, put("evidences", 0, ["a", "b"]), "evidences[0]"),
    ("2wikimultihopqa", TWOWIKI, put("evidences_id", "x"), "evidences_id"),
    ("2wikimultihopqa", TWOWIKI, put("entity_ids", 5), "entity_ids"),
    ("dire", DIRE[0], put("sufficiency", 2), "sufficiency"),
    ("dire", DIRE[0], put("sufficiency", True), "sufficiency"),
    ("dire", DIRE[0], put("sub_idx", "0"), "sub_idx"),
    ("subqa", SUBQA, put("sub_questions", 0, "question", ""), "sub_questions[0].question"),
    ("subqa", SUBQA, put("sub_questions", 1, 5), "sub_questions[1]"),
    ("subqa", SUBQA, put("sub_questions", 1, "context", [["a"]]), "sub_questions[1].context"),
    ("subqa", SUBQA, put("sub_questions", 1, "_id", []), "sub_questions[1]._id"),
    ("jsonl", JSONL, put("supports", [2]), "supports[0]"),
    ("jsonl", JSONL, put("facts", 0, [0, 2]), "facts[0][1]"),
    ("jsonl", JSONL, put("facts", 0, [1]), "facts[0]"),
    ("jsonl", JSONL, put("hops", 0, "support", 2), "hops[0].support"),
    ("jsonl", JSONL, put("hops", 0, "question", None), "hops[0].question"),
    ("jsonl", JSONL, put("paragraphs", 1, "text", 4), "paragraphs[1].text"),
    ("jsonl", JSONL, put("paragraphs", 0, "sentences", 0, 4), "paragraphs[0].sentences[0]"),
    ("jsonl", JSONL, put("answers", "tin"), "answers"),
    ("jsonl", JSONL, put("extra", []), "extra"),
]


@pytest.mark.parametrize(("name", "record", "change", "field"), OTHER_ERRORS)
def test_broken_records_of_the_other_formats_are_refused_with_their_path(
    name: str, record: Any, change: Change, field: str
) -> None:
    flaws = flaws_of(name, [changed(record, change)])
    assert [(flaw.severity, flaw.field) for flaw in flaws] == [("error", field)]


def test_a_question_may_be_empty_only_where_it_is_still_to_be_composed_or_beside_other_fields() -> None:
    uncomposed = changed(JSONL, put("question", ""))
    assert flaws_of("jsonl", uncomposed) == []
    unasked = changed(uncomposed, put("hops", []))
    assert flaws_of("jsonl", changed(unasked, put("extra", {}))) == []
    assert [flaw.field for flaw in flaws_of("jsonl", changed(unasked, put("extra", None)))] == ["question"]
    assert [flaw.field for flaw in flaws_of("jsonl", changed(JSONL, put("question", " ")))] == ["question"]


def test_dire_rows_of_a_question_are_numbered_once_and_stand_together() -> None:
    [flaw] = flaws_of("dire", [DIRE[0], DIRE[0]])
    assert (flaw.severity, flaw.field) == ("error", "sub_idx")
    [flaw] = flaws_of("dire", [DIRE[0], DIRE[1] | {"_id": "other"}, DIRE[2]])
    assert (flaw.severity, flaw.field, flaw.place) == ("warning", "_id", "record 3")
    them = samples.examples("dire", DIRE)
    assert [example.answerable for example in them] == [True, False, False]
    assert {example.group for example in them} == {"isle-1"}
