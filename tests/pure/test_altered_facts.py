"""Facts altered in a question's paragraphs: what is changed, what is left alone, and what cannot be altered."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.derivations.altered_facts import ALTERED, CannotAlter, Other, altered

NAMES = ["Ada Reed", "Tom Hale", "Ayr", "Nan"]


def lighthouse(text: str, *answers: str, question: str = "Who lit it?") -> Example:
    paragraphs = (Paragraph("The lamp", text), Paragraph("The mole", "It is of stone."))
    return Example("q", question, paragraphs, answers, supports=(0,))


OTHERS = [Other.of(lighthouse("", name)) for name in NAMES]


def test_a_name_is_replaced_wherever_it_stands() -> None:
    source = lighthouse("Maud Finch lit it. It was Maud  Finch's lamp.", "Maud Finch")
    made = altered(source, OTHERS, Random(1))
    [new] = made.answers
    assert new in {"Ada Reed", "Tom Hale"}
    assert made.paragraphs[0].text == f"{new} lit it. It was {new}'s lamp."
    assert made.extra[ALTERED] == {"from": ["Maud Finch"], "to": new}
    assert (made.id, made.question, made.supports, made.paragraphs[1]) == (
        source.id, source.question, source.supports, source.paragraphs[1],
    )  # fmt: skip


@pytest.mark.parametrize("answer", ["1,250 ells", "42", "1874", "12 May 1874"])
def test_a_number_keeps_its_form(answer: str) -> None:
    made = altered(lighthouse(f"It is known to be {answer}.", answer, question="What is known?"), [], Random(1))
    [new] = made.answers
    shape = str.maketrans("0123456789", "0" * 10)
    assert new != answer
    assert new.translate(shape) == answer.translate(shape)
    assert made.paragraphs[0].text == f"It is known to be {new}."
    if "1874" in answer:
        assert "18" in new


def test_sentences_and_hops_change_with_it() -> None:
    paragraph = Paragraph.of_sentences("The lamp", ("Maud Finch lit it.", "She was old."))
    hops = (Hop("What is made of stone?", "the mole", 1), Hop("Who lit it?", "Maud Finch", 0))
    source = replace(lighthouse("", "Maud Finch"), hops=hops)
    made = altered(replace(source, paragraphs=(paragraph, source.paragraphs[1])), OTHERS, Random(1))
    new = made.answers[0]
    assert made.paragraphs[0].sentences == (f"{new} lit it.", "She was old.")
    assert [hop.answer for hop in made.hops] == ["the mole", new]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (lighthouse("It stands."), "no answer"),
        (replace(lighthouse("Ayr.", "Ayr"), answerable=False), "no answer"),
        (replace(lighthouse("Ayr.", "Ayr"), options=("Ayr", "Nan")), "options"),
        (lighthouse("It was lit because the night was dark.", "because the night was dark"), "neither a name"),
        (lighthouse("Yes.", "yes"), "neither a name"),
        (lighthouse("Ayr it is.", "Ayr", question="Is it Ayr?"), "names its answer"),
        (lighthouse("It stands.", "Ayr"), "not in its supporting"),
        (lighthouse("Maud Finch came. Finch lit it.", "Maud Finch"), "in other words"),
        (lighthouse("Maud Finch, the Keeper of Ayr, lit it.", "Maud Finch", "the Keeper of Ayr"), "in other words"),
        (lighthouse("Aberystwyth it is.", "Aberystwyth"), "no other question"),
    ],
)
def test_what_cannot_be_altered_is_told_with_the_reason(source: Example, why: str) -> None:
    others = [] if "no other" in why else OTHERS
    with pytest.raises(CannotAlter, match=why):
        altered(source, others, Random(1))


def test_an_answer_that_the_text_names_already_is_not_taken() -> None:
    source = lighthouse("Maud Finch lit it, not Ada Reed.", "Maud Finch")
    assert {altered(source, OTHERS, Random(seed)).answers for seed in range(20)} == {("Tom Hale",)}


def test_a_name_of_a_question_alike_is_preferred() -> None:
    source = lighthouse("Maud Finch lit it.", "Maud Finch", question="Which painter lit it?")
    asked = ["Which painter lit the well?", "Where is it?"]
    others = [
        Other.of(replace(lighthouse("", f"{given} {name}"), question=question))
        for question, name in zip(asked, ("Reed", "Isle"), strict=True)
        for given in ("Ada", "Tom", "Ann")
    ]
    found = {altered(source, others, Random(seed)).answers[0] for seed in range(20)}
    assert found <= {"Ada Reed", "Tom Reed", "Ann Reed"}
