"""The demo's annotators answer like people: valid spans, human mistakes, the same ones for the same seed."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from annotation.demo import encyclopedia
from annotation.pure.data.example import Example
from annotation.pure.text.normalization import normalise_answer
from tests.single_hops import singlehop_examples

EXAMPLES = encyclopedia.examples(seed=1)


@pytest.mark.parametrize("skill", [0.0, 0.5, 1.0])
def test_a_simulated_answer_is_a_span_of_its_paragraph(skill: float) -> None:
    for example in EXAMPLES + singlehop_examples():
        answer = encyclopedia.simulated_answer(example, skill, random.Random(f"{skill}/{example.id}"))
        text = example.paragraphs[answer["paragraph"]].text
        assert 0 <= answer["start"] < answer["end"] <= len(text)
        assert answer["text"] == text[answer["start"] : answer["end"]] == answer["text"].strip()
        assert answer["support"] == sorted(set(answer["support"]))
        assert set(answer["support"]) <= set(range(len(example.paragraphs)))
        assert answer["support"]


def test_a_perfect_annotator_is_always_right() -> None:
    for example in EXAMPLES:
        answer = encyclopedia.simulated_answer(example, 1.0, random.Random(3))
        assert answer["text"] in example.answers
        assert answer["paragraph"] == example.hops[-1].support
        assert answer["support"] == list(example.supports or ())


def test_a_hopeless_annotator_errs_in_every_human_way() -> None:
    ways: Counter[str] = Counter()
    for example in EXAMPLES:
        for seed in range(5):
            answer = encyclopedia.simulated_answer(example, 0.0, random.Random(f"{seed}/{example.id}"))
            ways[_way(example, answer["text"])] += 1
            ways["fewer" if len(answer["support"]) < len(example.supports or ()) else "more"] += 1
            assert answer["support"] != list(example.supports or ())
    assert set(ways) == {"bridge", "longer", "shorter", "fewer", "more"}


def _way(example: Example, text: str) -> str:
    assert normalise_answer(text) not in {normalise_answer(answer) for answer in example.answers}
    if text.lower() in {hop.answer.lower() for hop in example.hops[:-1]}:
        return "bridge"
    return "longer" if example.answers[0] in text else "shorter"


def test_skill_is_the_share_of_right_answers() -> None:
    rng = random.Random(11)
    right = sum(
        encyclopedia.simulated_answer(example, 0.8, rng)["text"] == example.answer
        for example in EXAMPLES
        for _ in range(20)
    )
    assert right / (20 * len(EXAMPLES)) == pytest.approx(0.8, abs=0.05)


def test_the_same_seed_makes_the_same_annotator() -> None:
    def answers() -> list[dict]:
        return [encyclopedia.simulated_answer(e, 0.6, random.Random(f"ada/{e.id}")) for e in EXAMPLES]

    assert answers() == answers()


def test_an_answer_that_stands_nowhere_cannot_be_simulated() -> None:
    example = Example("x", "Is it?", EXAMPLES[0].paragraphs, answers=("certainly not",), supports=(0, 1))
    with pytest.raises(ValueError, match="stands in no paragraph"):
        encyclopedia.simulated_answer(example, 1.0, random.Random(0))
