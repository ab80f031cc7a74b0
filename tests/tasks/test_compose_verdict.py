"""What several answers to one graph mean together, what they are worth, and the dataset after them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.compose.task import TASK
from tests.long_forms import examples
from tests.tasks.composing import JSON, OTHER, QUESTION, answer, example, payload

judgments = st.sampled_from(["same", "different", "unsure", ""])


# The verdict and what becomes of the dataset


def kind_of(*answers: JSON) -> str:
    return str(TASK.aggregate(payload(), list(answers))["kind"])


def test_one_composition_is_the_aggregate_and_several_are_kept_for_the_requester() -> None:
    one, other = answer("same"), answer("same", question=OTHER)
    assert kind_of() == "undecided"
    assert kind_of(one) == "composed"
    assert kind_of(one, one) == "composed"
    assert kind_of(one, other) == "several"
    accepted = TASK.aggregate(payload(), [one, other | {"accepted": True}])
    assert (accepted["kind"], accepted["by"], accepted["question"]) == ("composed", 1, OTHER)


def test_those_who_put_it_aside_are_weighed_against_those_who_composed() -> None:
    yes, no = answer("same"), answer("different")
    assert kind_of(no) == "discarded"
    assert kind_of(answer("unsure")) == "discarded"
    assert kind_of(no, yes) == "undecided"
    assert kind_of(no, no, yes) == "discarded"
    assert kind_of(no, yes, yes) == "composed"
    assert kind_of(no, yes | {"accepted": True}) == "composed"
    assert kind_of(no | {"accepted": True}, yes, yes) == "discarded"
    assert TASK.aggregate(payload(), [no, yes, yes])["disputed"]
    assert not TASK.aggregate(payload(), [yes, yes])["disputed"]


@settings(max_examples=examples(15, soak=60), deadline=None)
@given(st.lists(st.tuples(judgments, judgments), max_size=6))
def test_every_judgment_that_counts_is_counted_once(said: list[tuple[str, str]]) -> None:
    aggregate = TASK.aggregate(payload("3hop1"), [answer(*bridges) for bridges in said])
    first, second = (sum(counts.values()) for counts in aggregate["bridges"])
    assert first == sum(one != "" for one, _ in said)
    assert second == sum(one == "same" and two != "" for one, two in said)


def test_a_composed_example_has_the_new_question_the_last_hop_s_answer_and_the_hops_paragraphs() -> None:
    gold = example()
    made = TASK.export(gold, TASK.aggregate(payload(), [answer("same", question=OTHER)]))[0]
    assert (made.question, made.answers, made.id) == (OTHER, gold.answers, gold.id)
    assert set(made.supports or ()) == {hop.support for hop in gold.hops}
    elsewhere = TASK.export(replace(gold, answers=("somewhere",)), TASK.aggregate(payload(), [answer("same")]))[0]
    assert elsewhere.answers == (gold.hops[-1].answer,)


def test_several_compositions_leave_the_example_alone_and_go_along_to_be_chosen_from() -> None:
    several = TASK.aggregate(payload(), [answer("same"), answer("same", question=OTHER)])
    made = TASK.export(example(), several)[0]
    assert made.question == example().question
    assert made.extra["compositions"] == [QUESTION, OTHER]


def test_what_was_put_aside_is_undecided_or_is_known_to_break_is_not_exported() -> None:
    composed = TASK.aggregate(payload(), [answer("same")])
    assert TASK.export(replace(example(), extra={"known_bridges": ["different"]}), composed) == []
    assert TASK.export(replace(example(), extra={"known_bridges": ["same"]}), composed) != []
    for said in ([], [answer("different")], [answer("different"), answer("same")]):
        assert TASK.export(example(), TASK.aggregate(payload(), said)) == []


def test_provenance_tells_the_composer_the_bridges_the_reasons_and_what_was_pasted() -> None:
    shown = payload()
    kept = answer("same", question="In what place was she born?", overrides={"hop_missing-1": "r", "too_long": "x"})
    answers = [answer("different"), kept | {"pasted": 0.5, "accepted": True}]
    result = TASK.provenance(shown, answers, TASK.aggregate(shown, answers))
    assert result == {
        "bridges": [{"same": 1, "different": 1, "unsure": 0}],
        "composer": 1,
        "overrides": {"hop_missing-1": "r"},
        "pasted": 0.5,
    }


# Grades and reviews


@pytest.mark.parametrize(
    ("known", "bridges", "grade"),
    [
        (["same", "different"], ["same", "different"], 1.0),
        (["same", "different"], ["same", "same"], 0.5),
        (["same", "different"], ["same", "unsure"], 0.5),
        (["same", "same"], ["different", ""], 0.0),
        (["different", "same"], ["same", "same"], 0.0),
        (["different", "same"], ["different", ""], 1.0),
    ],
)
def test_known_bridges_are_graded_up_to_the_one_that_ends_the_check(
    known: list[str], bridges: list[str], grade: float
) -> None:
    gold = replace(example("3hop1"), extra={"known_bridges": known})
    assert TASK.grade(payload("3hop1"), answer(*bridges), gold) == grade


def test_without_known_bridges_a_question_without_errors_is_worth_one() -> None:
    assert TASK.grade(payload(), answer("same"), example()) == 1
    assert TASK.grade(payload(), answer("same", question="Where was Mara Quell born?"), example()) == 0
    assert TASK.grade(payload(), answer("different"), example()) == 0


def test_who_composed_and_who_put_it_aside_differ_more_than_two_wordings() -> None:
    yes, other, no = answer("same"), answer("same", question=OTHER), answer("different")
    assert TASK.differences(payload(), [yes, no]) > TASK.differences(payload(), [yes, other]) > 0
    assert TASK.differences(payload(), [yes, yes]) == 0


def test_a_requester_reads_bridges_findings_with_reasons_and_may_change_the_wording() -> None:
    said = answer("same", question="In what place was she born?", overrides={"hop_missing-1": "It is she."}, pasted=0.2)
    result = TASK.review(payload(), said)
    assert (result["text"], result["pasted"]) == (said["question"], 0.2)
    assert [(f["id"], f["level"], f["reason"]) for f in result["findings"]] == [
        ("hop_missing-1", "warning", "It is she.")
    ]
    assert result["edges"][0]["judgment"] == "same"
    assert TASK.edited(payload(), said, "  A  better one? ")["question"] == "A better one?"
    aside = TASK.review(payload(), answer("different", why="an inn"))
    assert (aside["discarded"], aside["text"], aside["why"]) == (True, "", "an inn")


# Imported compositions


def test_a_composition_made_elsewhere_is_held_to_the_same_checks() -> None:
    assert TASK.complete(payload(), {"question": QUESTION}) == answer("same")
    with pytest.raises(ValueError, match="Mara Quell"):
        TASK.complete(payload(), {"question": "Where was Mara Quell of the Grey Petrel born?"})
    for odd in ({"bridges": []}, {"question": 3}, "x", {"question": QUESTION, "pasted": 3}, {"bridges": [None]}):
        with pytest.raises(ValueError, match=r"\w"):
            TASK.complete(payload(), odd)
    assert TASK.complete(payload(), {"bridges": ["different"]})["bridges"] == ["different"]
