"""HITs that people leave open: which wait, what a requester's decision makes of the verdict, and its undoing."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Conflict, Refused
from annotation.flow.reports import batch_scores
from annotation.flow.review import adjudication, problem_reports, results_dataset, review_decisions
from annotation.models import Assignment, Batch, Hit, Review
from annotation.registry import task_type
from tests.conftest import answer_to
from tests.flow import acting


def standing(hit: Hit) -> list[dict[str, Any]]:
    """The responses of a HIT as `aggregate` takes them."""
    return [answer for _standing, answer in review_decisions.answers_taking_part([hit])[hit.pk]]


@pytest.fixture
def batch(project: Any, dataset: Any) -> Batch:
    return acting.launched(project, "doubtful", dataset, assignments_per_hit=2)


def differ(batch: Batch, bob: Any, carol: Any) -> None:
    """Bob answers everything right, carol answers everything with another typed answer."""
    acting.answer_all(bob, batch)
    while row := acting.take(carol, batch):
        acting.submit(row, answer_to(row) | {"kind": "typed", "text": f"somewhere else {row.pk}"})


def rows_of(public_id: str) -> list[Assignment]:
    return list(Assignment.objects.filter(hit__public_id=public_id).order_by("pk"))


def test_only_hits_that_wait_for_no_further_answer_are_adjudicated(batch: Batch, bob: Any, carol: Any) -> None:
    acting.answer_all(bob, batch)
    assert adjudication.queue(batch) == []
    while row := acting.take(carol, batch):
        acting.submit(row, answer_to(row) | {"kind": "typed", "text": "elsewhere"})
    waiting = adjudication.queue(batch)
    assert len(waiting) == batch.size
    assert {(one.kind, one.answers) for one in waiting} == {("tied", 2)}


def test_an_accepted_answer_alone_makes_the_aggregate_and_leaves_the_queue(
    batch: Batch, bob: Any, carol: Any, alice: Any
) -> None:
    differ(batch, bob, carol)
    first = adjudication.queue(batch)[0]
    chosen = next(row for row in rows_of(first.public_id) if row.worker == carol)
    review_decisions.choose(chosen, chosen.revision, reviewer=alice)
    assert first not in adjudication.queue(batch)
    hit = Hit.objects.get(pk=first.pk)
    aggregate = review_decisions.aggregate(
        task_type("answer"),
        hit.payload,
        standing(hit),
    )
    assert aggregate["text"] == f"somewhere else {chosen.pk}"
    assert (aggregate["tied"], aggregate["adjudicated"]) == (False, True)


def test_the_report_still_counts_what_everybody_said(batch: Batch, bob: Any, carol: Any, alice: Any) -> None:
    differ(batch, bob, carol)
    before = batch_scores.score_batch(batch)["datasets"]
    chosen = rows_of(adjudication.queue(batch)[0].public_id)[0]
    review_decisions.choose(chosen, chosen.revision, reviewer=alice)
    assert batch_scores.score_batch(batch)["datasets"] == before


def test_what_was_decided_is_gathered_with_who_decided_it(batch: Batch, bob: Any, carol: Any, alice: Any) -> None:
    differ(batch, bob, carol)
    chosen = rows_of(adjudication.queue(batch)[0].public_id)[0]
    review_decisions.choose(chosen, chosen.revision, reviewer=alice)
    made = results_dataset.create_results_dataset(batch, name="settled")
    assert (made["kept"], made["dropped"]) == (1, {"tied": batch.size - 1})
    step = batch.project.datasets.get(slug="settled").items.get().example.extra["provenance"][-1]
    assert step["aggregate"]["adjudicated"] is True
    assert [review["decision"] for review in step["reviews"]] == ["accepted"]
    assert len(step["workers"]) == 2


def test_decisions_are_only_ever_added_and_can_be_undone(batch: Batch, bob: Any, carol: Any, alice: Any) -> None:
    differ(batch, bob, carol)
    first = adjudication.queue(batch)[0]
    hit = Hit.objects.get(pk=first.pk)
    assert not adjudication.undo(hit, reviewer=alice)
    for chosen in rows_of(first.public_id):
        review_decisions.choose(chosen, chosen.revision, reviewer=alice)
    assert [one.assignment.pk for one in adjudication.accepted(hit)] == [rows_of(first.public_id)[1].pk]
    assert adjudication.undo(hit, reviewer=alice)
    assert adjudication.queue(batch)[0] == first
    assert list(Review.objects.order_by("pk").values_list("decision", flat=True)) == [
        "accepted", "reopened", "accepted", "reopened",
    ]  # fmt: skip


def place_of(hit: Hit) -> str:
    """Words of the HIT's last paragraph, which nobody gave as an answer."""
    return " ".join(hit.payload["paragraphs"][-1]["text"].split()[:2])


def test_a_written_answer_alone_makes_the_aggregate_with_its_base_s_support_and_its_own_paragraph(
    batch: Batch, bob: Any, carol: Any, alice: Any
) -> None:
    differ(batch, bob, carol)
    first = adjudication.queue(batch)[0]
    hit = Hit.objects.get(pk=first.pk)
    base = next(row for row in rows_of(first.public_id) if row.worker == carol)
    review_decisions.choose(base, base.revision, reviewer=alice, text=f"  {place_of(hit).upper()} ")
    assert first not in adjudication.queue(batch)
    aggregate = review_decisions.aggregate(
        task_type("answer"),
        hit.payload,
        standing(hit),
    )
    assert (aggregate["text"], aggregate["kind"], aggregate["adjudicated"]) == (place_of(hit), "span", True)
    assert (aggregate["answers"], aggregate["tied"]) == (1, False)
    of_base = review_decisions.responses_with_reviews([base])[0].answer.answer["support"]
    assert aggregate["support"] == sorted({*of_base, aggregate["paragraph"]})
    made = results_dataset.create_results_dataset(batch, name="written")
    assert made["kept"] == 1
    step = batch.project.datasets.get(slug="written").items.get().example.extra["provenance"][-1]
    assert [(r["decision"], r["edited_from"]) for r in step["reviews"]] == [("edited", f"somewhere else {base.pk}")]


def test_writing_is_added_to_an_earlier_pick_and_undone_like_one(
    batch: Batch, bob: Any, carol: Any, alice: Any
) -> None:
    differ(batch, bob, carol)
    first = adjudication.queue(batch)[0]
    hit = Hit.objects.get(pk=first.pk)
    one, other = rows_of(first.public_id)
    review_decisions.choose(one, one.revision, reviewer=alice)
    review_decisions.choose(other, other.revision, reviewer=alice, text=place_of(hit))
    assert [(a.assignment.pk, a.state) for a in adjudication.accepted(hit)] == [(other.pk, "edited")]
    assert adjudication.undo(hit, reviewer=alice)
    assert adjudication.queue(batch)[0] == first
    assert list(Review.objects.order_by("pk").values_list("decision", flat=True)) == [
        "accepted", "reopened", "edited", "reopened",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "  ", "words that stand nowhere", "no answer", "x" * 5001])
def test_a_wording_that_cannot_stand_changes_nothing(batch: Batch, bob: Any, carol: Any, alice: Any, text: str) -> None:
    differ(batch, bob, carol)
    one, other = rows_of(adjudication.queue(batch)[0].public_id)
    review_decisions.choose(one, one.revision, reviewer=alice)
    with pytest.raises(Refused):
        review_decisions.choose(other, other.revision, reviewer=alice, text=text)
    with pytest.raises(Conflict):
        review_decisions.choose(other, other.revision + 1, reviewer=alice, text="somewhere")
    assert list(Review.objects.values_list("decision", flat=True)) == ["accepted"]


def test_a_hit_that_is_left_out_waits_no_more_until_that_is_undone(batch: Batch, bob: Any, carol: Any) -> None:
    differ(batch, bob, carol)
    waiting = adjudication.queue(batch)
    hit = Hit.objects.get(pk=waiting[0].pk)
    problem_reports.exclude(hit, reason="Nobody can know.")
    assert adjudication.queue(batch) == waiting[1:]
    assert adjudication.undo(hit, reviewer=None)
    assert adjudication.queue(batch) == waiting


def test_the_way_on_goes_around_the_end_and_past_what_is_settled(batch: Batch, bob: Any, carol: Any) -> None:
    differ(batch, bob, carol)
    waiting = adjudication.queue(batch)
    hits = [Hit.objects.get(pk=one.pk) for one in waiting]
    assert adjudication.following(batch, hits[0]) == waiting[1]
    assert adjudication.following(batch, hits[-1]) == waiting[0]
    problem_reports.exclude(hits[1], reason="Broken.")
    assert adjudication.following(batch, hits[0]) == waiting[2]
    assert adjudication.following(batch, hits[1]) == waiting[2]
    for hit in hits[2:]:
        problem_reports.exclude(hit, reason="Broken.")
    assert adjudication.following(batch, hits[0]) is None


def test_a_closed_batch_waits_for_nobody(batch: Batch, bob: Any, carol: Any) -> None:
    wide = acting.launched(batch.project, "wide", *batch.datasets.all(), assignments_per_hit=5)
    differ(wide, bob, carol)
    assert adjudication.queue(wide) == []
    batch_launch.close(wide)
    assert len(adjudication.queue(Batch.objects.get(pk=wide.pk))) == wide.size
