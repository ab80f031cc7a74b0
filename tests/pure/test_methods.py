"""The methods paragraph: every fact has its sentence, and a missing fact leaves it out."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from annotation.pure.methods import Facts, in_words, sentences

FACTS = Facts(
    question="Is it enough?",
    hits=3,
    datasets=(("wells", 2), ("towers", 1)),
    hops=((2, 3),),
    per_hit=(2, 2),
    unanswered=1,
    answers=6,
    workers=4,
    first="2026-01-02",
    last="2026-01-05",
    chosen=5,
    marketplace="Sandbox",
    requirements=("at least 80 in “Readers”",),
    rounds=(("Round 1", 12, 4),),
    guides=(1, 3),
    check_share=0.1,
    seconds=41.6,
    paid="12.50",
    wage="14.20",
    tenth="9.80",
    agreements=(("Krippendorff's alpha (nominal)", {"value": 0.71, "low": 0.6, "high": 0.8}),),
    adjudicated=2,
    refused=1,
    voided=(("Two towers", 1),),
)
SAYS = {
    "question": "“Is it enough?”",
    "datasets": "The data are 3 items of the datasets wells (2), towers (1).",
    "hops": "Each question takes 2 hops.",
    "per_hit": "by 2 different annotators.",
    "unanswered": "One item has no answer.",
    "first": "from 2026-01-02 to 2026-01-05 (UTC)",
    "chosen": "Only 5 annotators, chosen by name",
    "marketplace": "marketplace Sandbox",
    "requirements": "at least 80 in “Readers”",
    "rounds": "12 annotators took the qualification round “Round 1” and 4 passed it.",
    "guides": "versions 1, 3 of the instructions",
    "check_share": "make up 10 % of",
    "seconds": "was 42 seconds",
    "paid": "12.50 US dollars in all",
    "wage": "14.20 US dollars an hour; one in ten earned 9.80 or less",
    "tenth": "14.20 US dollars an hour",
    "agreements": "alpha (nominal) is 0.710 (95 % interval 0.600 to 0.800, resampling items, for these 4 annotators).",
    "adjudicated": "By hand, 2 items were settled",
    "refused": "One answer was discarded or returned",
    "voided": "The results leave out 1 of the items and their answers, because of Two towers (1).",
}


def test_everything_that_is_known_is_said_once() -> None:
    text = in_words(FACTS)
    assert [words for words in SAYS.values() if text.count(words) != 1] == []
    assert "In all, 4 annotators submitted 6 answers." in text


def test_hops_and_places_that_vary_are_said_as_they_are() -> None:
    facts = Facts(hits=3, datasets=(("wells", 3),), hops=((2, 1), (4, 2)), per_hit=(2, 3), answers=5, workers=2)
    assert in_words(facts) == (
        "The data are 3 items of the dataset wells. The questions take the following numbers of hops, with the number "
        "of items in parentheses: 2 (1), 4 (2). In all, 2 annotators submitted 5 answers. Each item was to be "
        "answered by 2 to 3 different annotators."
    )


@pytest.mark.parametrize("name", SAYS)
def test_a_missing_fact_leaves_its_sentence_out_and_no_other(name: str) -> None:
    nothing = next(field.default for field in fields(Facts) if field.name == name)
    without = in_words(replace(FACTS, **{name: nothing}))
    assert SAYS[name] not in without
    assert len(sentences(FACTS)) == len(sentences(replace(FACTS, **{name: nothing}))) + 1


def test_nothing_is_said_before_the_first_answer() -> None:
    assert in_words(replace(FACTS, answers=0)) == ""


def test_one_is_said_as_one() -> None:
    text = in_words(Facts(hits=1, datasets=(("wells", 1),), answers=2, workers=1, per_hit=(1, 1), guides=(1,)))
    assert text == (
        "The data are one item of the dataset wells. One annotator submitted 2 answers. Each item was given to one "
        "annotator. All answers were given under version 1 of the instructions."
    )


def test_an_undefined_agreement_is_not_said_and_one_without_interval_without_it() -> None:
    facts = Facts(answers=2, workers=2, agreements=(("A", {"value": None}), ("B", {"value": 0.5, "share": True})))
    assert in_words(facts).endswith("B is 50.0 %.")
