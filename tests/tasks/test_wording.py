"""What a requester writes in place of an answer: the three tasks that take words."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data.example import Example
from annotation.registry import task_type
from annotation.tasktype import Adjudicable, InvalidWording, TaskType
from tests.browser.sub_questions import FERRY_QUESTION, ORGAN_QUESTION

JSON = dict[str, Any]
ANSWER, ANSWERABILITY, SUBQUESTIONS = (task_type(kind) for kind in ("answer", "answerability", "subquestions"))
TEXTS = st.text("Ab #1→\n🦜?", min_size=1, max_size=8).filter(lambda text: bool(text.strip()))


def payload_of(task: TaskType, example: Example = ORGAN_QUESTION, **options: Any) -> JSON:
    made = task.prepare(example, task.options(options), Random(1))
    assert made is not None
    return made


def test_tasks_that_offer_writing_edit_and_say_a_wording() -> None:
    for kind in ("answer", "answerability", "subquestions", "compose"):
        task = task_type(kind)
        assert isinstance(task, Adjudicable)
        assert task.writes
    assert not isinstance(task_type("coreference"), Adjudicable)


@pytest.mark.parametrize("task", [ANSWER, ANSWERABILITY])
def test_an_answer_in_words_is_found_in_the_paragraphs_and_keeps_the_support(task: TaskType) -> None:
    payload = payload_of(task)
    base = task.complete(payload, {"text": "Farrow", "support": [1, 2]})
    made = task.edited(payload, base, " quillhaven")
    assert task.check(payload, made) == []
    assert (made["kind"], made["text"], made["support"]) == ("span", "Quillhaven", [1, 2])
    assert task.review(payload, made) == {"text": "Quillhaven"}
    assert task.edited(payload, made, "Quillhaven") == made


@pytest.mark.parametrize("task", [ANSWER, ANSWERABILITY])
def test_the_paragraph_of_the_words_joins_a_support_that_lacks_them(task: TaskType) -> None:
    payload = payload_of(task)
    base = task.complete(payload, {"text": "Quillhaven", "support": [1, 2]})
    word = "Farrow"
    (place,) = [k for k, paragraph in enumerate(payload["paragraphs"]) if word in paragraph["text"]]
    made = task.edited(payload, {**base, "support": [k for k in (0, 1, 2) if k != place]}, word)
    assert (made["paragraph"], made["support"]) == (place, [0, 1, 2])
    assert task.check(payload, made) == []


@pytest.mark.parametrize("task", [ANSWER, ANSWERABILITY])
@pytest.mark.parametrize("text", ["the moon", "yes", "no"])
def test_words_that_stand_nowhere_are_refused_even_unchanged(task: TaskType, text: str) -> None:
    payload = payload_of(task)
    base = task.complete(payload, {"text": text, "support": [1]})
    with pytest.raises(InvalidWording, match=f"“{text}” is not in any paragraph"):
        task.edited(payload, base, text)


def test_no_answer_is_an_answer_where_the_batch_has_it() -> None:
    payload = payload_of(ANSWER, no_answer=True)
    base = ANSWER.complete(payload, {"text": "Quillhaven", "support": [2]})
    for text in ("No answer ", ""):
        assert ANSWER.edited(payload, base, text)["kind"] == "none"
        with pytest.raises(InvalidWording):
            ANSWER.edited(payload_of(ANSWER), base, text)
    none = ANSWER.edited(payload, base, "")
    assert ANSWER.review(payload, none)["text"] == "no answer"
    assert ANSWER.edited(payload, none, "no answer") == none


def test_yes_and_no_are_words_where_the_batch_has_them() -> None:
    payload = payload_of(ANSWER, yes_no=True)
    base = ANSWER.complete(payload, {"text": "Quillhaven", "support": [2]})
    made = ANSWER.edited(payload, base, "Yes")
    assert (made["kind"], made["support"], ANSWER.check(payload, made)) == ("yes", [2], [])


def test_what_is_not_answerable_becomes_answerable_and_back() -> None:
    payload = payload_of(ANSWERABILITY)
    none = ANSWERABILITY.complete(payload, {"text": ""})
    made = ANSWERABILITY.edited(payload, none, "a duty on salt")
    assert (made["answerable"], ANSWERABILITY.check(payload, made)) == (True, [])
    assert made["support"] == [made["paragraph"]]
    assert ANSWERABILITY.edited(payload, made, "no answer") == none
    assert ANSWERABILITY.aggregate(payload, [made | {"accepted": True}])["kind"] == "answerable"


def test_without_support_to_keep_the_sentence_of_the_words_is_it() -> None:
    payload = payload_of(ANSWER, no_answer=True)
    text = payload["paragraphs"][2]["text"]
    middle = text.index("a ferryman")
    payload["controls"]["sentences"] = True
    for paragraph in payload["paragraphs"]:
        paragraph["sentences"] = [[0, len(paragraph["text"])]]
    payload["paragraphs"][2]["sentences"] = [[0, middle - 1], [middle - 1, len(text)]]
    made = ANSWER.edited(payload, ANSWER.complete(payload, {"text": ""}), "a ferryman")
    assert (made["support"], made["facts"], ANSWER.check(payload, made)) == ([2], [[2, 1]], [])


def test_words_that_stand_in_several_paragraphs_need_a_base_with_support() -> None:
    payload = payload_of(ANSWER, no_answer=True)
    with pytest.raises(InvalidWording, match="in several paragraphs"):
        ANSWER.edited(payload, ANSWER.complete(payload, {"text": ""}), "Quillhaven")


def test_yes_needs_a_base_with_support() -> None:
    payload = payload_of(ANSWER, no_answer=True, yes_no=True)
    with pytest.raises(InvalidWording, match="names its support"):
        ANSWER.edited(payload, ANSWER.complete(payload, {"text": ""}), "yes")


def untouched(payload: JSON, discard: str = "no") -> JSON:
    right = {"well_formed": True, "meaning": True, "valid": True}
    return {"discard": discard, "hops": [{**right, **hop} for hop in payload["hops"]]}


def base_of(payload: JSON, discard: str = "no") -> JSON:
    return SUBQUESTIONS.complete(payload, untouched(payload, discard))


@pytest.mark.parametrize("discard", ["no", "single_hop"])
def test_sub_questions_are_written_a_line_a_hop_and_kept(discard: str) -> None:
    payload = payload_of(SUBQUESTIONS)
    base = base_of(payload, discard)
    lines = SUBQUESTIONS.review(payload, base)["text"].splitlines()
    assert lines == ["Who the organ of Saint Orrin built? → Vole", "In which town was Vole born? → Quillhaven"]
    made = SUBQUESTIONS.edited(payload, base, f"Who built the organ? → Tamsin Vole\r\n\r\n{lines[1]} ")
    assert SUBQUESTIONS.check(payload, made) == []
    aggregate = SUBQUESTIONS.aggregate(payload, [made | {"accepted": True}])
    assert aggregate["kind"] == "kept"
    assert [(hop["question"], hop["answer"]) for hop in aggregate["hops"]] == [
        ("Who built the organ?", "Tamsin Vole"),
        ("In which town was Vole born?", "Quillhaven"),
    ]
    assert [hop["changed_by"] for hop in aggregate["hops"]] == [
        {"question": 1, "answer": 1},
        {"question": 0, "answer": 0},
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A? → B", "Write one line for each hop: 3, not 1"),
        ("", "Write one line for each hop: 3, not 0"),
        ("A? → B\nWho first mastered #1?\nC? → D", "Line 2: write “→”"),
        ("A? → B\n → Finch\nC? → D", "Line 2: the sub-question before “→” is empty"),
        ("A? →  \nWho first mastered #1? → Finch\nC? → D", "Line 1: the answer after “→” is empty"),
        ("A? → B\nWho mastered #1? → Finch\nWhat did #1 leave? → D", "Hop 3: keep #2"),
        ("A? → B\nWho mastered #2? → Finch\nWhat did #2 leave? → D", "Hop 2: keep #1"),
        ("Which of #1? → B\nWho mastered #1? → Finch\nWhat did #2 leave? → D", "Hop 1: write the earlier answer"),
        (f"A? → {'x' * 501}\nWho mastered #1? → Finch\nWhat did #2 leave? → D", "Hop 1: use at most 500"),
    ],
)
def test_a_line_that_cannot_stand_is_named(text: str, said: str) -> None:
    payload = payload_of(SUBQUESTIONS, FERRY_QUESTION)
    with pytest.raises(InvalidWording, match=said):
        SUBQUESTIONS.edited(payload, base_of(payload), text)


def test_the_last_arrow_of_a_line_parts_it() -> None:
    payload = payload_of(SUBQUESTIONS)
    made = SUBQUESTIONS.edited(payload, base_of(payload), "Which organ → who? → Vole\nWhere → born? → Quillhaven")
    assert [hop["question"] for hop in made["hops"]] == ["Which organ → who?", "Where → born?"]


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=2, max_size=2), st.sampled_from(["no", "wrong_answer"]))
def test_the_wording_as_it_came_changes_nothing(texts: list[tuple[str, str]], discard: str) -> None:
    hops = [{"question": q, "answer": a, "support": 0} for q, a in texts]
    payload = payload_of(SUBQUESTIONS) | {"hops": hops}
    base = untouched(payload, discard)
    made = SUBQUESTIONS.edited(payload, base, SUBQUESTIONS.review(payload, base)["text"])
    assert [(hop["question"], hop["answer"]) for hop in made["hops"]] == texts
    assert SUBQUESTIONS.check(payload, made) == []
