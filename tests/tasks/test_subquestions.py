"""Sub-questions: what is shown, what an answer must be, what several say together, and what goes out."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import Tally
from annotation.formats import FORMATS
from annotation.formats.base import CannotWrite, Parsed, Parted
from annotation.pure.data.corrections import agreed, answer_key, difference, flowed, question_key
from annotation.pure.data.example import Example
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, HitWithResponses
from tests.browser.sub_questions import FERRY_QUESTION, ORGAN_QUESTION
from tests.derivations.listed import Listed
from tests.shared_data import shared_data

TASK = task_type("subquestions")
JSON = dict[str, Any]
TEXTS = st.text("Ab #1\u0301🦜ש.?", max_size=12)


def payload(example: Example = ORGAN_QUESTION) -> JSON:
    made = TASK.prepare(example, TASK.options({}), Random(1))
    assert made is not None
    return made


def keep(*hops: JSON, example: Example = ORGAN_QUESTION) -> JSON:
    """An answer that keeps the question; of each hop what is named, the rest as it came and right."""
    right = {"well_formed": True, "meaning": True, "valid": True}
    result = [*hops, *[{}] * (len(example.hops) - len(hops))]
    own = [{"question": hop.question, "answer": hop.answer} for hop in example.hops]
    return {"discard": "no", "hops": [right | o | t for o, t in zip(own, result, strict=True)]}


def drop(reason: str) -> JSON:
    return keep() | {"discard": reason}


FIXED = keep(
    {"question": "Who built the organ of Saint Orrin?", "well_formed": False, "answer": "Tamsin Vole", "valid": False},
    {"question": "In which town was Tamsin Vole born?"},
)


def fields(answer: JSON, example: Example = ORGAN_QUESTION) -> list[str]:
    return [problem.field for problem in TASK.check(payload(example), answer)]


def judged(answers: Sequence[JSON], hit: str = "h") -> HitWithResponses:
    result = tuple(GivenResponse(f"w{k}", answer, 30.0) for k, answer in enumerate(answers))
    return HitWithResponses(hit, "d", "jsonl", ORGAN_QUESTION, payload(), result)


def table(report: JSON, name: str) -> list[list[Any]]:
    return next(t["rows"] for t in report["tables"] if t["name"] == name)


def test_only_the_supporting_paragraphs_are_shown_and_hops_point_into_them() -> None:
    shown = payload()
    assert [p["title"] for p in shown["paragraphs"]] == ["The organ of Saint Orrin", "Tamsin Vole"]
    assert [hop["support"] for hop in shown["hops"]] == [0, 1]


@pytest.mark.parametrize(
    "changes",
    [{"hops": ()}, {"answers": ()}, {"question": ""}, {"hops": ORGAN_QUESTION.hops[:1]}, {"supports": (9,)}],
)
def test_what_cannot_be_judged_is_skipped(changes: JSON) -> None:
    assert TASK.prepare(replace(ORGAN_QUESTION, **changes), TASK.options({}), Random(1)) is None


def test_a_followed_question_is_no_correction_and_neither_is_one_that_was_taken_back() -> None:
    assert fields(FIXED) == []
    back = [FIXED["hops"][0], {**FIXED["hops"][1], "question": "In which town was Vole born?"}]
    assert fields({"discard": "no", "hops": back}) == []


@pytest.mark.parametrize(
    ("hop", "field"),
    [
        ({"well_formed": False}, "hop-1-question"),
        ({"meaning": False}, "hop-1-question"),
        ({"valid": False}, "hop-1-answer"),
        ({"question": "Who built it?"}, "hop-1-question"),
        ({"answer": "Tamsin Vole"}, "hop-1-answer"),
        ({"question": "Who is #1?", "meaning": False}, "hop-1-question"),
        ({"answer": "x" * 501, "valid": False}, "hop-1-answer"),
        ({"valid": None}, "hop-1-valid"),
    ],
)
def test_judgments_and_texts_must_fit_each_other(hop: JSON, field: str) -> None:
    assert field in fields(keep(hop))


def test_a_corrected_template_keeps_what_it_refers_to() -> None:
    wrong = keep({}, {"question": "Who was her master?", "meaning": False}, example=FERRY_QUESTION)
    assert fields(wrong, FERRY_QUESTION) == ["hop-2-question"]
    right = keep({}, {"question": "Who first mastered #1?", "meaning": False}, example=FERRY_QUESTION)
    assert fields(right, FERRY_QUESTION) == []


@pytest.mark.parametrize(
    ("answers", "kind", "discard"),
    [
        ([], "undecided", ""),
        ([drop("single_hop")], "discarded", "single_hop"),
        ([drop("single_hop"), drop("wrong_answer"), keep()], "discarded", "both"),
        ([drop("wrong_answer"), drop("wrong_answer"), keep()], "discarded", "wrong_answer"),
        ([drop("wrong_answer"), keep()], "tied", ""),
        ([drop("wrong_answer"), keep(), keep()], "kept", ""),
        ([FIXED, keep()], "tied", ""),
        ([FIXED, FIXED, keep()], "kept", ""),
        ([FIXED | {"accepted": True}, keep()], "kept", ""),
    ],
)
def test_aggregates(answers: list[JSON], kind: str, discard: str) -> None:
    result = TASK.aggregate(payload(), answers)
    assert (result["kind"], result["discard"]) == (kind, discard)


def test_the_majority_of_each_field_goes_out_with_how_many_changed_it() -> None:
    made = TASK.export(ORGAN_QUESTION, TASK.aggregate(payload(), [FIXED, keep(), FIXED]))
    assert [(hop.question, hop.answer) for hop in made[0].hops] == [
        ("Who built the organ of Saint Orrin?", "Tamsin Vole"),
        ("In which town was Tamsin Vole born?", "Quillhaven"),
    ]
    assert [hop.support for hop in made[0].hops] == [1, 2]
    assert made[0].extra["subquestions"]["changed_by"] == [{"question": 2, "answer": 2}, {"question": 0, "answer": 0}]


def test_tied_and_discarded_items_do_not_go_out() -> None:
    for answers in ([FIXED, keep()], [drop("single_hop")], []):
        assert TASK.export(ORGAN_QUESTION, TASK.aggregate(payload(), answers)) == []


def test_only_ties_wait_for_the_requester_and_agreeing_is_saying_the_same_texts() -> None:
    cases = [([FIXED, keep()], True, 0), ([FIXED, FIXED, keep()], False, 2), ([drop("single_hop")] * 2, False, 2)]
    for answers, waits, agreeing in cases:
        result = TASK.aggregate(payload(), answers)
        assert (TASK.unsettled(result), TASK.agreeing(payload(), answers, result)) == (waits, agreeing)


def test_the_order_of_the_answers_does_not_matter() -> None:
    answers = [FIXED, keep({"answer": "the Tamsin Vole", "valid": False}), keep(), drop("single_hop")]
    aggregates = [TASK.aggregate(payload(), Random(k).sample(answers, 4)) for k in range(10)]
    assert all(aggregate == aggregates[0] for aggregate in aggregates)


def test_the_report_counts_what_was_kept_judged_and_corrected() -> None:
    rows = [
        judged([FIXED, FIXED, keep()], "a"),
        judged([drop("single_hop")] * 2 + [keep()], "b"),
        judged([keep()], "c"),
    ]
    report = TASK.report(rows, TASK.options({}), seed=1)
    outcome = [(row[1], row[2]["n"]) for row in table(report, "verdicts")]
    assert outcome == [(2, 3), (1, 3), (0, 3), (0, 3), (0, 3)]
    first, second = table(report, "judgments")
    assert (first[1], round(first[2]["value"], 2), second[2]["value"]) == (5, 0.4, 0)
    assert [[*row[:3], row[4]] for row in table(report, "corrections")] == [[1, 2, 1, 1], [2, 2, 0, 0]]


def test_a_grade_is_the_share_of_what_is_known() -> None:
    known = replace(ORGAN_QUESTION, extra={"known_subquestions": FIXED})
    assert TASK.grade(payload(), FIXED, known) == 1
    assert TASK.grade(payload(), keep(), known) == pytest.approx(4 / 6)
    assert TASK.grade(payload(), drop("single_hop"), known) == 0


def test_judgments_made_elsewhere_are_checked() -> None:
    assert TASK.complete(payload(), {"discard": "single_hop"})["hops"][0]["answer"] == "Vole"
    for wrong in ([], {"discard": "yes"}, {"discard": "no"}, {"discard": "no", "hops": [{"question": 1}]}):
        with pytest.raises(ValueError, match="needs"):
            TASK.complete(payload(), wrong)


@given(TEXTS, TEXTS)
def test_a_difference_adds_up_to_both_texts(old: str, new: str) -> None:
    parts = difference(old, new)
    assert "".join(part.text for part in parts if part.kind != "in") == old
    assert "".join(part.text for part in parts if part.kind != "out") == new


@given(st.lists(TEXTS, min_size=2, max_size=4), st.data())
def test_unchanged_answers_change_no_question(questions: list[str], data: st.DataObject) -> None:
    answers = [data.draw(TEXTS) for _ in questions]
    assert flowed(questions, answers, answers) == questions


@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_what_is_agreed_was_said_and_does_not_depend_on_order(texts: list[str]) -> None:
    for key in (question_key, answer_key):
        found = agreed(texts, key=key)
        assert set(found) <= set(texts)
        assert found == agreed(texts[::-1], key=key)


# files


def three(examples: Sequence[Example]) -> list[bytes]:
    subqa = FORMATS["subqa"]
    assert isinstance(subqa, Parted)
    outs = [io.BytesIO() for _ in subqa.parts]
    assert subqa.write_parts(examples, outs) == len(examples)
    return [out.getvalue() for out in outs]


def read(folder: Path) -> list[Example]:
    return [p.example for p in FORMATS["subqa"].read(folder) if isinstance(p, Parsed) and p.example]


def test_three_arrays_come_back_as_they_went(tmp_path: Path) -> None:
    made = TASK.export(replace(ORGAN_QUESTION, facts=((1, 0), (2, 0))), TASK.aggregate(payload(), [FIXED]))
    names = ("dev_ori.json", "dev_sub1.json", "dev_sub2.json")
    written = three(made)
    for name, content in zip(names, written, strict=True):
        (tmp_path / name).write_bytes(content)
    again = read(tmp_path)
    assert [(h.question, h.answer) for h in again[0].hops] == [(h.question, h.answer) for h in made[0].hops]
    assert three(again) == written
    assert [row["_id"] for content in written for row in json.loads(content)] == ["organ"] * 3


def test_no_items_make_three_empty_arrays() -> None:
    assert [json.loads(content) for content in three([])] == [[], [], []]


def test_three_hops_do_not_fit_two_arrays() -> None:
    with pytest.raises(CannotWrite, match="3 sub-questions"):
        three([FERRY_QUESTION])


# real records


def records(name: str, format: str) -> list[Example]:
    found = FORMATS[format].read(shared_data(name))
    return [parsed.example for parsed in found if isinstance(parsed, Parsed) and parsed.example]


def unjudged_is_kept(example: Example) -> None:
    shown = payload(example)
    answer = keep(example=example)
    assert TASK.check(shown, answer) == []
    made = TASK.export(example, TASK.aggregate(shown, [answer] * 3))
    assert [(h.question, h.answer, h.support) for h in made[0].hops] == [
        (h.question, h.answer, h.support) for h in example.hops
    ]


def test_real_decompositions_of_any_number_of_hops() -> None:
    examples = records("musique_ans_dev_130.jsonl", "musique")
    assert {len(example.hops) for example in examples} >= {2, 3, 4}
    for example in examples:
        unjudged_is_kept(example)


def test_real_bridge_questions_with_generated_sub_questions(tmp_path: Path) -> None:
    originals = [e for e in records("subqa_dev_ori_200.json", "subqa") if e.answer]
    lines = [{"id": e.id, "sub1": "Which one is meant?", "sub2": f"What of ____? {k}"} for k, e in enumerate(originals)]
    file = tmp_path / "generated.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    made = DERIVATIONS["bridge-subquestions"]
    options = made.Options(generated=str(file))
    examples = [e for _n, e in made.derive(Listed(originals), options, seed=1, tally=Tally())]
    assert len(examples) > 100
    for example in examples:
        unjudged_is_kept(example)
    folder = tmp_path / "subqa"
    folder.mkdir()
    for part, content in zip(("ori", "sub1", "sub2"), three(examples), strict=True):
        (folder / f"dev_{part}.json").write_bytes(content)
    again = read(folder)
    assert [e.id for e in again] == [e.id for e in examples]
    assert [[h.question for h in e.hops] for e in again] == [[h.question for h in e.hops] for e in examples]
