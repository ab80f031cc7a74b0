"""What requesters decide on answers, what stands after it, and what workers repair."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Conflict, Refused
from annotation.flow.reports import batch_scores
from annotation.flow.review import review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.flow.work import submissions
from annotation.models import Assignment, Batch, Hit, Review
from tests.flow.compositions import change, compose, compose_batch, composed

pytestmark = pytest.mark.postgresql(reason="responses are locked; the last decision is a subquery")

ACCEPT = Decision("accepted", {})
RETURN = Decision("returned", {"correct": False}, reason="The second hop is missing.")
DISCARD = Decision("discarded", {}, reason="It is two questions.")


def standing(hit: Hit) -> list[dict[str, Any]]:
    """The responses of a HIT as `aggregate` takes them."""
    return [answer for _standing, answer in review_decisions.answers_taking_part([hit])[hit.pk]]


@pytest.fixture
def compositions(project: Any, dataset: Any) -> Batch:
    return compose_batch(project, dataset)


@pytest.fixture
def row(compositions: Batch, bob: Any) -> Assignment:
    return compose(bob, compositions, "Which tower stands beside the well?")


def decide(row: Assignment, wish: Decision, alice: Any = None) -> Review:
    return review_decisions.decide(row, row.revision, wish, reviewer=alice)


def state(row: Assignment) -> str:
    return review_decisions.responses_with_reviews([row])[0].state


def test_a_decision_says_who_decided_what_on_which_revision(row: Assignment, alice: Any) -> None:
    wish = Decision("edited", {"correct": True, "coherent": False}, text="  Which tower is beside it? ")
    made = decide(row, wish, alice)
    assert (made.revision, made.decision, made.text, made.reviewer) == (1, "edited", "Which tower is beside it?", alice)
    assert made.marks == {"correct": True, "coherent": False}
    assert state(row) == "edited"


def test_accepting_says_yes_to_what_was_not_judged_and_keeps_what_was(row: Assignment) -> None:
    assert decide(row, Decision("accepted", {"coherent": False, "pretty": True})).marks == {
        "correct": True,
        "coherent": False,
    }


def test_other_decisions_keep_only_what_was_judged(row: Assignment) -> None:
    assert decide(row, DISCARD).marks == {}
    assert decide(row, RETURN).marks == {"correct": False}


@pytest.mark.parametrize(
    "wish",
    [
        Decision("edited", {}, text=" "),
        Decision("returned", {}, reason=""),
        Decision("discarded", {}, reason=" \n"),
        Decision("reopened", {}),
        Decision("liked", {}),
    ],
)
def test_a_decision_without_its_words_is_refused(row: Assignment, wish: Decision) -> None:
    with pytest.raises(Refused):
        decide(row, wish)
    assert not Review.objects.exists()


def test_what_was_read_must_be_what_stands(row: Assignment) -> None:
    change(row, "Which white tower stands beside the well?")
    with pytest.raises(Conflict, match="The worker has changed this response in the meantime"):
        review_decisions.decide(row, 1, ACCEPT, reviewer=None)
    assert not Review.objects.exists()
    assert review_decisions.decide(row, 2, ACCEPT, reviewer=None).revision == 2


def test_of_two_requesters_the_second_is_told(row: Assignment) -> None:
    review_decisions.decide(row, 1, ACCEPT, reviewer=None, seen=0)
    with pytest.raises(Conflict, match="Somebody else has decided"):
        review_decisions.decide(row, 1, DISCARD, reviewer=None, seen=0)
    assert state(row) == "accepted"


def test_undoing_adds_a_row_and_only_once(row: Assignment) -> None:
    assert not review_decisions.undo(row, reviewer=None)
    decide(row, ACCEPT)
    assert review_decisions.undo(row, reviewer=None)
    assert not review_decisions.undo(row, reviewer=None)
    assert state(row) == "unread"
    assert [r.decision for r in Review.objects.order_by("pk")] == ["accepted", "reopened"]


def test_a_return_that_was_repaired_cannot_be_undone(row: Assignment) -> None:
    decide(row, RETURN)
    change(row, "Which tower stands beside the well that Ana dug?")
    assert not review_decisions.undo(row, reviewer=None)
    assert state(row) == "repaired"


def test_a_aggregate_gets_the_answers_as_they_stand(compositions: Batch, bob: Any, carol: Any) -> None:
    first = compose(bob, compositions, "What is beside the well?")
    second = compose(carol, compositions, "Which tower is near it?")
    hit = first.hit
    assert standing(hit) == [
        composed("What is beside the well?"),
        composed("Which tower is near it?"),
    ]
    decide(first, Decision("edited", {}, text="What stands beside the well?"))
    decide(second, ACCEPT)
    assert standing(hit) == [
        composed("What stands beside the well?") | {"accepted": True},
        composed("Which tower is near it?") | {"accepted": True},
    ]
    decide(first, DISCARD)
    decide(second, RETURN)
    assert standing(hit) == []
    change(second, "Which white tower is near it?")
    assert standing(hit) == [composed("Which white tower is near it?")]


def test_choosing_accepts_one_and_lets_go_of_the_other(compositions: Batch, bob: Any, carol: Any) -> None:
    first, second = compose(bob, compositions), compose(carol, compositions)
    assert [hit for hit, _worded in review_decisions.several(compositions)] == [first.hit]
    decide(first, Decision("edited", {}, text="What stands there?"))
    review_decisions.choose(second, 1, reviewer=None)
    assert (state(first), state(second)) == ("unread", "accepted")
    assert len(standing(first.hit)) == 2
    assert review_decisions.several(compositions) == []
    review_decisions.choose(first, 1, reviewer=None)
    assert (state(first), state(second)) == ("accepted", "unread")


def test_choosing_what_changed_meanwhile_changes_nothing(compositions: Batch, bob: Any, carol: Any) -> None:
    first, second = compose(bob, compositions), compose(carol, compositions)
    decide(first, ACCEPT)
    change(second, "Which tower is it?")
    with pytest.raises(Conflict):
        review_decisions.choose(second, 1, reviewer=None)
    assert state(first) == "accepted"


def test_the_answers_of_many_hits_take_as_many_queries_as_those_of_one(compositions: Batch, bob: Any) -> None:
    for row in [compose(bob, compositions) for _ in range(4)]:
        decide(row, ACCEPT)
    hits = list(compositions.hits.order_by("pk"))
    counts = []
    for some in (hits[:1], hits):
        with CaptureQueriesContext(connection) as captured:
            assert len(review_decisions.answers_taking_part(some)) == len(some)
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 4


@pytest.mark.parametrize("closed", [False, True])
def test_what_was_returned_can_be_repaired_in_an_open_and_in_a_closed_batch(
    row: Assignment, compositions: Batch, closed: bool
) -> None:
    decide(row, RETURN)
    if closed:
        batch_launch.close(compositions)
    assert [review.reason for review in review_decisions.to_repair(worker=row.worker)] == ["The second hop is missing."]
    change(row, "Which tower stands beside the well that Ana dug?")
    assert row.revision == 2
    assert not review_decisions.to_repair(worker=row.worker).exists()
    assert state(row) == "repaired"


def test_a_closed_batch_lets_nothing_else_be_changed(row: Assignment, compositions: Batch) -> None:
    batch_launch.close(compositions)
    decide(row, RETURN)
    review_decisions.undo(row, reviewer=None)
    with pytest.raises(Conflict, match="closed"):
        change(row, "Another one?")
    decide(row, RETURN)
    change(row, "Another one?")
    with pytest.raises(Conflict, match="closed"):
        change(row, "And yet another one?")
    decide(row, ACCEPT)
    assert not submissions.may_change(Assignment.objects.get(pk=row.pk))


def test_a_repair_keeps_the_counters_of_the_hit(row: Assignment, compositions: Batch) -> None:
    decide(row, RETURN)
    change(row, "Which tower stands beside the well that Ana dug?")
    row.hit.refresh_from_db()
    assert (row.hit.done, row.hit.live) == (1, 0)
    assert row.counts


def test_a_report_counts_refused_answers_and_stands_whatever_is_decided(row: Assignment, compositions: Batch) -> None:
    before = batch_scores.score_batch(compositions)
    assert before["n"] == 1
    decide(row, DISCARD)
    assert batch_scores.cached_report(compositions) == before
    assert batch_scores.score_batch(compositions) == before
