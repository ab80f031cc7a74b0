"""A simulated worker who knows the answer gives it as it stands in the paragraphs."""

from __future__ import annotations

from random import Random

import pytest

from annotation.formats import FORMATS
from annotation.formats.base import Parsed
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.text.spans import Span, locate_as_scored
from annotation.registry import task_type
from annotation.tasktype import JSON
from tests.shared_data import shared_data

ANSWER = task_type("answer")
OPTIONS = ANSWER.options({"yes_no": True, "no_answer": True})


def rightly(example: Example) -> tuple[JSON, JSON] | None:
    """(payload, what a simulated worker answers who knows it)."""
    payload = ANSWER.prepare(example, OPTIONS, Random(1))
    return payload and (payload, ANSWER.imitate(payload, example, Random(1), right=True) or {})


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ("Sons Of Ingmar", "Sons of Ingmar"),
        ("The Eagle'S Feather", "The Eagle's Feather"),
        ("Edo De Waart", "Edo de Waart"),
        ("US Navy", "U.S. Navy"),
        ("Oceans 11", "Ocean's 11"),
        ("well of Ana Brook", "well of the (Ana) Brook"),
    ],
)
def test_the_gold_is_found_as_the_scorer_finds_it(gold: str, said: str) -> None:
    texts = ("Nothing is here.", f"It is, they say, “no”: {said}, of 1919.")
    paragraphs = tuple(Paragraph(f"Title {k}", text) for k, text in enumerate(texts))
    example = Example("q", "Which?", paragraphs, answers=(gold,), supports=(1,))
    result = rightly(example)
    assert result
    assert result[1]["text"] == said
    assert ANSWER.check(*result) == []
    assert ANSWER.grade(*result, example) == 1


def test_only_whole_words_count_as_the_scorer_counts_them() -> None:
    assert locate_as_scored("US", ["Vir.u.s here, U.S. there"]) == Span(0, 14, 17)
    assert locate_as_scored("the", ["an article"]) is None
    assert locate_as_scored("a-b c", ["ab d c", "(A.B.) the C!"], first=[1]) == Span(1, 1, 12)


@pytest.mark.parametrize(
    ("name", "format", "nowhere"),
    [
        ("2wikimultihopqa_dev_150.json", "2wikimultihopqa", 0),
        ("hotpotqa_dev_distractor_240.json", "hotpotqa", 0),
        ("musique_ans_dev_130.jsonl", "musique", 0),
    ],
)
def test_all_real_records_but_those_without_their_answer_are_answered(name: str, format: str, nowhere: int) -> None:
    parsed = [each for each in FORMATS[format].read(shared_data(name)) if isinstance(each, Parsed)]
    examples = [each.example for each in parsed if each.example]
    result = [(each, found) for each in examples if (found := rightly(each))]
    wrong = [each.id for each, (payload, said) in result if ANSWER.grade(payload, said, each) < 1]
    assert len(result) == len(examples)
    assert len(wrong) == nowhere
    assert [each.id for each, (payload, said) in result if ANSWER.check(payload, said)] == []
