"""The methods paragraph: every fact has its sentence, and a missing fact leaves it out."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from annotation.pure.reports.methods import in_words, sentences
from annotation.pure.reports.methods_facts import Agreement, Derived, Facts

FACTS = Facts(
    question="Is it enough?",
    hits=3,
    datasets=(("wells", 2), ("towers", 1)),
    hops=((2, 3),),
    per_hit=(2, 2),
    responses=(2, 2),
    unanswered=1,
    answers=6,
    workers=4,
    counted_workers=3,
    first="2026-01-02",
    last="2026-01-05",
    chosen=5,
    consented=3,
    marketplace="Sandbox",
    requirements=("at least 80 in “Readers”",),
    rounds=(("Round 1", 12, 4),),
    instructions_versions=(1, 3),
    check_share=0.1,
    imported=2,
    unversioned=2,
    seconds=41.6,
    timed=6,
    paid="12.50",
    earners=3,
    wage="14.20",
    tenth="9.80",
    agreements=(Agreement("Krippendorff's alpha (nominal)", 0.71, 0.6, 0.8, 3, about=("sufficiency", 9)),),
    derived=(Derived("wells", "springs", "Withhold", "Leaves out paragraphs.", (("Paragraphs that stay", 1),)),),
    preface="In some items a step is missing.",
    rejected=2,
    erased=1,
    picked=2,
    reworded=1,
    twice=8,
    agreed=8,
    edited=3,
    refused=1,
    excluded=(("Two towers", 1),),
    excluded_responses=2,
)
SAYS = {
    "question": "“Is it enough?”",
    "datasets": "The data are 3 items of the datasets wells (2), towers (1).",
    "hops": "Each question requires 2 hops.",
    "unanswered": "One item has no response.",
    "first": "from 2026-01-02 to 2026-01-05 (UTC)",
    "imported": "2 of them were collected elsewhere.",
    "chosen": "limited to 5 selected annotators",
    "consented": "Of the 4 annotators, 3 consented to how their responses are used",
    "marketplace": "marketplace Sandbox",
    "requirements": "at least 80 in “Readers”",
    "rounds": "12 annotators took the qualification round “Round 1” and 4 passed it.",
    "instructions_versions": "Versions of the instructions: 1, 3; not recorded for 2 responses.",
    "check_share": "hidden gold items was 10 % of",
    "seconds": "was 42 seconds",
    "wage": (
        "Among the 3 annotators with measured time, median earnings were 14.20 US dollars per hour; at "
        "least one in ten earned 9.80 or less."
    ),
    "agreements": (
        "Agreement on sufficiency compares 9 pairs of responses. Krippendorff's alpha (nominal) is 0.710 (n = 3; 95 % "
        "interval 0.600 to 0.800)."
    ),
    "derived": "wells was made from springs by “Withhold” (Paragraphs that stay: 1): Leaves out paragraphs.",
    "preface": "The task's own instructions came after this preface: “In some items a step is missing.”",
    "rejected": "2 responses were rejected and not paid; this changes no figure.",
    "erased": "One further response was erased at the participant's request.",
    "picked": "A requester adjudicated 2 items by accepting one of the responses to each.",
    "reworded": "A requester adjudicated one item with a wording of their own.",
    "twice": "Two requesters decided on 8 items independently and agreed on 8 (100 %).",
    "edited": "A requester reworded 3 responses",
    "refused": "In review, one response was excluded or changes to it were requested",
    "excluded_responses": "The figures therefore count 4 of the 6 responses.",
}


def test_everything_that_is_known_is_said_once() -> None:
    text = in_words(FACTS)
    assert "Annotators were paid 12.50 US dollars in total, excluding fees." in text
    assert "The results exclude one of 3 items: Two towers." in text
    assert [words for words in SAYS.values() if text.count(words) != 1] == []
    assert "In all, 4 annotators submitted 6 responses." in text


def test_it_is_said_how_often_two_adjudicators_agreed_and_what_became_of_the_rest() -> None:
    assert "agreed on 5 (62 %). Where they differ, a third decision is final." in in_words(replace(FACTS, agreed=5))


def test_hops_and_places_that_vary_are_said_as_they_are() -> None:
    facts = Facts(hits=3, datasets=(("wells", 3),), hops=((2, 1), (4, 2)), answers=5, workers=2)
    facts = replace(facts, per_hit=(2, 3), responses=(2, 3))
    assert in_words(facts) == (
        "The data are 3 items of the dataset wells. The numbers of hops that the questions require, "
        "with the number of items in parentheses, are: 2 (1), 4 (2). In all, 2 annotators submitted 5 "
        "responses. Each item was assigned to 2 to 3 different annotators."
    )


@pytest.mark.parametrize("name", SAYS)
def test_a_missing_fact_leaves_its_sentence_out_and_no_other(name: str) -> None:
    nothing = next(field.default for field in fields(Facts) if field.name == name)
    without = in_words(replace(FACTS, **{name: nothing}))
    assert SAYS[name] not in without
    gone = 3 if name == "agreements" else 1  # what it is about, and whom its interval, go with it
    assert len(sentences(FACTS)) == len(sentences(replace(FACTS, **{name: nothing}))) + gone


def test_items_of_unknown_number_of_hops_do_not_vanish() -> None:
    facts = Facts(hits=36, hops=((0, 24), (2, 7), (3, 3), (4, 2)), answers=1, workers=1)
    assert "2 (7), 3 (3), 4 (2). The number of hops is unknown for 24 items." in in_words(facts)
    assert "hops" not in in_words(replace(facts, hops=((0, 36),)))
    assert "2 (35). The number of hops is unknown for one item." in in_words(replace(facts, hops=((0, 1), (2, 35))))


def test_pay_is_told_as_far_as_it_was_paid() -> None:
    assert "paid" not in in_words(replace(FACTS, paid="", rejected=0))
    assert "hour" not in in_words(replace(FACTS, paid=""))
    partly = in_words(replace(FACTS, unpaid=3))
    assert "12.50 US dollars in total, excluding fees. 3 responses have not been paid or decided on yet." in partly
    assert "hour" not in partly


@pytest.mark.parametrize(
    ("imported", "last", "said"),
    [
        (2, "2026-01-05", "The others were submitted from 2026-01-02 to 2026-01-05 (UTC)."),
        (0, "2026-01-05", "Responses were submitted from 2026-01-02 to 2026-01-05 (UTC)."),
        (2, "2026-01-02", "The others were submitted on 2026-01-02 (UTC)."),
        (0, "2026-01-02", "All responses were submitted on 2026-01-02 (UTC)."),
    ],
)
def test_the_days_are_of_all_answers_or_of_those_that_were_not_imported(imported: int, last: str, said: str) -> None:
    assert said in in_words(replace(FACTS, imported=imported, last=last)).replace("\n", " ")


def test_times_are_told_of_the_answers_that_were_measured() -> None:
    assert "Active time was measured for 4 responses; its median was 42 seconds." in in_words(replace(FACTS, timed=4))
    assert "Active time was measured for one response; it was 42 seconds." in in_words(replace(FACTS, timed=1))


def test_nothing_is_said_before_the_first_answer() -> None:
    assert in_words(replace(FACTS, answers=0)) == ""


def test_one_is_said_as_one() -> None:
    text = in_words(
        Facts(
            hits=1,
            datasets=(("wells", 1),),
            answers=2,
            workers=1,
            per_hit=(1, 1),
            responses=(1, 1),
            instructions_versions=(1,),
        )
    )
    assert text == (
        "The data are one item of the dataset wells. One annotator submitted 2 responses. Each item "
        "was assigned to one annotator. All responses were given under version 1 of the instructions."
    )


def test_an_undefined_agreement_is_not_said_and_one_without_interval_without_it() -> None:
    facts = Facts(answers=2, workers=2, agreements=(Agreement("A", None), Agreement("B", 0.5, n=4, share=True)))
    assert in_words(facts).endswith(" B is 50.0 % (n = 4; no interval, since it varies too little between items).")
    by_chance = Agreement("C", 0.5, n=4, by_chance=True)
    assert in_words(replace(facts, agreements=(by_chance,))).endswith(" C is 0.500 (n = 4).")


def test_intervals_are_said_once_to_be_of_the_annotators_whom_figures_count() -> None:
    several = replace(FACTS, agreements=FACTS.agreements * 3)
    assert in_words(several).count("95 % intervals hold for these 3 annotators: they resample items") == 1
    assert "95 %" not in in_words(replace(FACTS, agreements=(Agreement("Alpha", 0.71),)))


@pytest.mark.parametrize(
    ("per_hit", "responses", "said"),
    [
        ((3, 3), (1, 3), "Responses planned for each item: 3; obtained: 1 to 3 (1.3 on average)."),
        ((2, 3), (0, 1), "Responses planned for each item: 2 to 3; obtained: 0 to 1 (1.3 on average)."),
        ((0, 0), (0, 4), "Responses of each item: 0 to 4 (1.3 on average)."),
        ((1, 1), (1, 1), "Each item was assigned to one annotator."),
    ],
)
def test_responses_are_told_as_they_came_in(per_hit: tuple[int, int], responses: tuple[int, int], said: str) -> None:
    facts = Facts(hits=4, answers=4, workers=2, per_hit=per_hit, responses=responses, excluded=(("Unreadable", 1),))
    assert said in in_words(facts)
    assert ("assigned" in in_words(facts)) == (per_hit == responses)


@pytest.mark.parametrize(
    ("imported", "answers", "said"),
    [
        (162, 162, "annotators submitted 162 responses. All of them were collected elsewhere."),
        (1, 1, "submitted 1 responses. It was collected elsewhere."),
        (2, 3, "2 of them were collected elsewhere."),
    ],
)
def test_responses_that_all_came_from_elsewhere_are_no_part_of_others(imported: int, answers: int, said: str) -> None:
    assert said in in_words(Facts(hits=9, workers=3, answers=answers, imported=imported))


@pytest.mark.parametrize(
    ("hits", "excluded", "left", "said"),
    [
        (
            20,
            (("broken", 3),),
            5,
            "exclude 3 of 20 items: broken. The figures therefore count 1 of the 6",
        ),
        (4, (("a", 1), ("b", 1)), 0, "exclude 2 of 4 items: a (1); b (1)."),
        (1, (("a", 1),), 6, "exclude the only item: a. The figures therefore count no response."),
        (2, (("a", 2),), 6, "exclude all 2 items: a. The figures therefore count no response."),
    ],
)
def test_exclusions_are_told_with_their_whole(
    hits: int, excluded: tuple[tuple[str, int], ...], left: int, said: str
) -> None:
    assert said in in_words(Facts(hits=hits, workers=2, answers=6, excluded=excluded, excluded_responses=left))
