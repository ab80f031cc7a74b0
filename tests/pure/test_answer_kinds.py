"""What an answer is by its spelling, and what a name is of by its question."""

from __future__ import annotations

import pytest

from annotation.pure.data.example import Example, Hop
from annotation.pure.data.features import FeatureCount, replaced
from annotation.pure.text.named_entities import ENTITIES, KINDS, entity_of, kind_of


@pytest.mark.parametrize(
    ("kind", "answers"),
    [
        ("none", [None, "", "  "]),
        ("yes_no", ["yes", "No"]),
        ("date", ["1788", "12 May 1903", "May 4, 1999", "in 1912", "Sept 3", "the 3rd of March"]),
        ("number", ["forty-one", "3.5 million", "2,300 m", "seven years", "450 BC"]),
        ("name", ["Port Anselm", "The Quiet Hours Act", "José Rizal"]),
        ("words", ["red petticoat", "forty barrels of herring", "glue"]),
    ],
)
def test_an_answer_has_the_kind_of_its_words(kind: str, answers: list[str | None]) -> None:
    assert {answer: kind_of(answer) for answer in answers} == dict.fromkeys(answers, kind)
    assert kind in KINDS


@pytest.mark.parametrize(
    ("entity", "questions"),
    [
        (
            "person",
            [
                "Who keeps the light?",
                "By whom was #1 built?",
                "Which inn's landlady is which singer?",
                "#1 >> founded by",
                "What is the captain of #1 called, and which captain of which ship is it?",
            ],
        ),
        (
            "place",
            [
                "Where was the man who built the Lantern born?",
                "In which small town is #1?",
                "The ferry of the woman who drew it lands at what island?",
                "#2 >> place of birth",
                "What is the largest county in #1?",
            ],
        ),
        ("organisation", ["Which ferry company owns #1?", "Iver plays for which team?", "#1 >> educated at"]),
        (
            "other",
            [
                "Which ferry did the man from Wick Harrow build?",
                "The singer who sang it wrote what song?",
                "What is the captain's ship called?",
                "#1 >> part of",
                "",
            ],
        ),
    ],
)
def test_a_name_is_of_what_its_question_asks_for(entity: str, questions: list[str]) -> None:
    assert {question: entity_of(question) for question in questions} == dict.fromkeys(questions, entity)
    assert entity in ENTITIES


def test_names_are_counted_by_the_last_hop_and_other_answers_not_at_all() -> None:
    hops = (Hop("Who built the Lantern?", "Osla Brandt", None), Hop("Where was #1 born?", "Wick Harrow", None))
    asked = Example(id="a", question="Who?", paragraphs=(), answers=("Wick Harrow",), hops=hops)
    number = Example(id="b", question="Who counts?", paragraphs=(), answers=("12",))
    count = FeatureCount()
    count.add(asked)
    count.add(number)
    features = count.as_json()
    assert features["entities"] == {"place": 1}
    assert replaced(features, asked, number)["entities"] == {}


def test_an_edit_moves_the_counts_of_a_dataset_and_starts_none_that_it_lacks() -> None:
    asked = (("Who?", "Ann"), ("How many?", "2"))
    before, after = (Example(id="a", question=text, paragraphs=(), answers=(answer,)) for text, answer in asked)
    count = FeatureCount()
    count.add(before)
    features = count.as_json()
    assert (features["answer_kinds"], features["question_words"]) == ({"name": 1}, {"1": 1})
    changed = replaced(features, before, after)
    assert (changed["answer_kinds"], changed["question_words"]) == ({"number": 1}, {"2": 1})
    older = {name: value for name, value in features.items() if name != "answer_kinds"}
    assert "answer_kinds" not in replaced(older, before, after)
