"""What an answer is by its spelling."""

from __future__ import annotations

import pytest

from annotation.pure.data.example import Example
from annotation.pure.data.features import FeatureCount, replaced
from annotation.pure.text.answer_kinds import KINDS, kind_of


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
