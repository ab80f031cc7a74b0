"""What goes in comes out: every format gives the records back that it read."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from annotation.formats.base import CannotWrite
from annotation.pure.data.example import Example
from tests.pure.formats import samples
from tests.pure.formats.samples import (
    CSV,
    HOTPOT,
    MUSIQUE,
    RACE,
    SQUAD,
    WORKED,
    examples,
    hub,
    read_path,
    there_and_back,
    value_of,
    written,
)
from tests.shared_data import shared_data

REAL = {
    "hotpotqa_dev_distractor_240.json": "hotpotqa",
    "hotpotqa_dev_fullwiki_20.json": "hotpotqa",
    "subqa_dev_ori_200.json": "subqa",
    "2wikimultihopqa_dev_150.json": "2wikimultihopqa",
    "musique_ans_dev_130.jsonl": "musique",
    "musique_ans_train_60.jsonl": "musique",
    "musique_full_dev_60.jsonl": "musique",
    "musique_full_3_pairs.jsonl": "musique",
    "squad_dev_v2.0_5_articles.json": "squad",
}


def keys(value: Any) -> list[list[str]]:
    return [list(record) for record in value]


@pytest.mark.parametrize("name", WORKED)
def test_worked_records_come_out_equal(name: str) -> None:
    assert there_and_back(name, WORKED[name]) == WORKED[name]


@pytest.mark.parametrize("name", [name for name in WORKED if name not in ("squad", "race")])
def test_keys_come_out_in_their_order(name: str) -> None:
    shuffled = [dict(reversed(record.items())) for record in WORKED[name]]
    assert keys(there_and_back(name, WORKED[name])) == keys(WORKED[name])
    assert keys(there_and_back(name, shuffled)) == keys(shuffled)


@pytest.mark.parametrize(("file", "name"), REAL.items())
def test_real_records_come_out_equal_with_their_keys_in_order(file: str, name: str) -> None:
    path = shared_data(file)
    parsed, flaws = read_path(name, path)
    assert not [flaw for flaw in flaws if flaw.severity == "error"]
    before, after = value_of(path.read_bytes()), value_of(written(name, [p.example for p in parsed if p.example]))
    assert after == before
    assert name == "squad" or keys(after) == keys(before)


@pytest.mark.parametrize(("file", "name"), REAL.items())
def test_real_records_pass_through_our_own_format_unchanged(file: str, name: str) -> None:
    them = [parsed.example for parsed in read_path(name, shared_data(file))[0] if parsed.example]
    lines = written("jsonl", them)
    back = [parsed.example for parsed in samples.read("jsonl", lines)[0]]
    assert back == them
    assert written(name, [one for one in back if one]) == written(name, them)


@pytest.mark.parametrize("name", [name for name in WORKED if name not in ("squad", "race")])
def test_fields_unknown_to_us_come_back(name: str) -> None:
    odd = [record | {"mood": {"a": [1, None, 2.5]}, "ß": "é"} for record in WORKED[name]]
    assert there_and_back(name, odd) == odd


def test_fields_unknown_to_us_come_back_in_passages_and_articles() -> None:
    passage = RACE | {"level": 3}
    assert there_and_back("race", [passage]) == [passage]
    tree = deepcopy(SQUAD) | {"licence": "ours", "more": [1]}
    tree["data"][0] |= {"lang": "en"}
    tree["data"][0]["paragraphs"][0] |= {"document_id": 7}
    tree["data"][0]["paragraphs"][0]["qas"][0] |= {"note": None}
    tree["data"][0]["paragraphs"][0]["qas"][0]["answers"][0] |= {"answer_id": 4}
    assert there_and_back("squad", tree) == tree


@pytest.mark.parametrize("gone", ["answer", "supporting_facts", "type", "level"])
def test_hotpotqa_records_without_a_label_come_back_without_it(gone: str) -> None:
    record = {key: value for key, value in HOTPOT.items() if key != gone}
    assert there_and_back("hotpotqa", [record]) == [record]
    assert there_and_back("hotpotqa", [hub(HOTPOT) | {gone: None}]) == [hub(HOTPOT) | {gone: None}]


def test_records_of_test_sets_come_back_without_labels() -> None:
    hotpot = {key: HOTPOT[key] for key in ("_id", "question", "context")}
    assert there_and_back("hotpotqa", [hotpot]) == [hotpot]
    musique = {key: deepcopy(MUSIQUE[key]) for key in ("id", "paragraphs", "question")}
    for paragraph in musique["paragraphs"]:
        del paragraph["is_supporting"]
    assert there_and_back("musique", [musique, musique]) == [musique, musique]
    race = {key: RACE[key] for key in ("options", "questions", "article", "id")}
    assert there_and_back("race", [race]) == [race]
    tree = deepcopy(SQUAD)
    for paragraph in tree["data"][0]["paragraphs"]:
        paragraph["qas"] = [{"id": qa["id"], "question": qa["question"]} for qa in paragraph["qas"]]
    assert there_and_back("squad", tree) == tree


def test_facts_outside_the_context_doubled_titles_and_repeats_come_back() -> None:
    facts = [["Elsewhere", 3], ["Farrow", 9], ["Farrow", 0], ["Farrow", 0]]
    record = HOTPOT | {"supporting_facts": facts, "context": [*HOTPOT["context"], HOTPOT["context"][1]]}
    assert there_and_back("hotpotqa", [record]) == [record]
    [example] = examples("hotpotqa", [record])
    assert example.facts == ((1, 0), (1, 0))
    assert example.supports == (1,)


def test_the_hub_layout_comes_back_as_such() -> None:
    assert there_and_back("hotpotqa", [hub(HOTPOT)]) == [hub(HOTPOT)]
    assert examples("hotpotqa", [hub(HOTPOT)])[0].facts == examples("hotpotqa", [HOTPOT])[0].facts


def test_musique_keeps_odd_paragraph_numbers_and_fields() -> None:
    record = deepcopy(MUSIQUE)
    for paragraph in record["paragraphs"]:
        paragraph["idx"] += 10
        paragraph["wiki"] = "x"
    for step in record["question_decomposition"]:
        step["paragraph_support_idx"] += 10
        step["document_id"] = "Farrow_0"
    del record["answer_aliases"]
    assert there_and_back("musique", [record]) == [record]
    assert [hop.support for hop in examples("musique", [record])[0].hops] == [2, 0]


def test_squad_keeps_its_version_behind_the_articles_and_repeated_articles_apart() -> None:
    article = {"title": "A", "paragraphs": [{"context": "x y", "qas": []}]}

    def titled(*ids: str) -> dict[str, Any]:
        qas = [{"id": i, "question": "Q?", "answers": [{"text": "y", "answer_start": 2}]} for i in ids]
        return {"title": "A", "paragraphs": [{"context": "x y", "qas": [qa]} for qa in qas]}

    tree = {"data": [titled("1", "2"), titled("3")], "version": "1.1"}
    assert there_and_back("squad", tree) == tree
    with_empty = {"version": "1.1", "data": [titled("1"), article, titled("3")]}
    _, flaws = samples.read("squad", samples.encoded(with_empty))
    assert [flaw.field for flaw in flaws] == ["data[1].paragraphs[0]"]
    assert there_and_back("squad", with_empty) == with_empty


def test_race_letters_come_back_where_options_are_equal() -> None:
    record = RACE | {"answers": ["D", "A"]}
    assert there_and_back("race", [record]) == [record]


def test_race_questions_keep_their_ids_when_some_are_left_out() -> None:
    kept = examples("race", [RACE])[1:]
    content = written("race", kept)
    assert samples.read("race", content)[0][0].example == kept[0]


def test_csv_rows_come_back_byte_for_byte() -> None:
    assert written("csv", [p.example for p in samples.read("csv", CSV.encode())[0] if p.example]) == CSV.encode()


def test_a_changed_example_is_written_as_it_is_now() -> None:
    record = dict(reversed((HOTPOT | {"supporting_facts": [["Gone", 0], ["Farrow", 1]]}).items()))
    [example] = examples("hotpotqa", [record])
    changed = replace(example, paragraphs=example.paragraphs[1:], facts=((0, 0),), supports=(0,))
    [after] = value_of(written("hotpotqa", [changed]))
    assert after["context"] == HOTPOT["context"][1:]
    assert after["supporting_facts"] == [["Farrow", 0]]


def test_a_decomposition_survives_only_where_there_is_a_place_for_it() -> None:
    [example] = examples("musique", [MUSIQUE])
    [hotpot] = value_of(written("hotpotqa", [example]))
    assert hotpot["supporting_facts"] == [["Farrow", 0], ["Ada Quill", 0]]
    assert hotpot["context"][1] == ["Port Ember", ["A harbour."]]
    assert hotpot["type"] == "2hop"
    [musique] = value_of(written("musique", examples("hotpotqa", [HOTPOT])))
    assert musique["question_decomposition"] == []
    assert musique["paragraphs"][1]["paragraph_text"] == "Farrow is an island. Its mines yield tin."
    assert [paragraph["is_supporting"] for paragraph in musique["paragraphs"]] == [True, True, False]


def assert_names(refusal: CannotWrite, example: Example) -> None:
    assert example.id in str(refusal)
    assert refusal.reason


@pytest.mark.parametrize("source", WORKED)
@pytest.mark.parametrize("target", samples.SAMPLED)
def test_any_format_writes_any_example_readably_or_says_why_not(source: str, target: str) -> None:
    for example in examples(source, WORKED[source]):
        try:
            content = written(target, [example])
        except CannotWrite as refusal:
            assert_names(refusal, example)
            continue
        parsed, flaws = samples.read(target, content)
        assert not [str(flaw) for flaw in flaws if flaw.severity == "error"]
        assert [p.example.question for p in parsed if p.example] == [example.question]
        assert parsed[0].example
        assert parsed[0].example.answer == example.answer or (target == "squad" and example.answerable is False)
