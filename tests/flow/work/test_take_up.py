"""Taking a returned or expired assignment up again keeps to the rules of the first time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.flow.work import leases, next_assignment, submissions
from annotation.models import Assignment, Hit
from tests.conftest import answer_to

pytestmark = pytest.mark.postgresql(reason="seats and assignments are locked")


def claimed(worker: Any, batch: Any) -> Assignment:
    assignment = next_assignment.claim(next_assignment.join_batch(worker, batch))
    assert assignment is not None
    return assignment


def test_it_gives_the_assignment_back_with_its_draft_and_a_new_lease(batch: Any, bob: Any) -> None:
    assignment = claimed(bob, batch)
    Assignment.objects.filter(pk=assignment.pk).update(draft={"kind": "none"}, lease_until=Now() - timedelta(hours=1))
    assert leases.expire_due() == 1
    assignment.refresh_from_db()
    assert next_assignment.take_up(assignment)
    assignment.refresh_from_db()
    assert (assignment.state, assignment.counts, assignment.draft) == ("accepted", True, {"kind": "none"})
    assert leases.expire_due() == 0
    assert Hit.objects.get(pk=assignment.hit_id).live == 1


def test_it_refuses_while_another_one_is_under_way(batch: Any, bob: Any) -> None:
    first = claimed(bob, batch)
    assert leases.return_assignment(first)
    second = claimed(bob, batch)
    assert second != first
    assert not next_assignment.take_up(first)
    first.refresh_from_db()
    assert first.state == "returned"
    assert Hit.objects.get(pk=first.hit_id).live == 0


def test_it_refuses_a_twin_whose_other_the_worker_met_since(batch: Any, bob: Any) -> None:
    Hit.objects.filter(batch=batch).update(group_key="twins")
    first = claimed(bob, batch)
    assert leases.return_assignment(first)
    second = claimed(bob, batch)
    assert second.move("submitted", submitted_at=Now(), revision=1)
    assert not next_assignment.take_up(first)


def test_twins_that_may_meet_freely_can_be_taken_up(batch: Any, bob: Any) -> None:
    Hit.objects.filter(batch=batch).update(group_key="twins")
    batch.meeting = "free"
    batch.save()
    first = claimed(bob, batch)
    assert leases.return_assignment(first)
    second = claimed(bob, batch)
    assert second.move("submitted", submitted_at=Now(), revision=1)
    assert next_assignment.take_up(first)


def twins_in_front(batch: Any) -> None:
    """The first three of the queue are twin, other, twin; twins may meet, but not in a row."""
    batch.meeting = "apart"
    batch.save()
    for hit, group in zip(batch.hits.order_by("ticket"), ("twins", "between", "twins", "after"), strict=False):
        Hit.objects.filter(pk=hit.pk).update(group_key=group)


def answered(assignment: Assignment) -> str:
    submissions.submit(assignment, answer_to(assignment), key="0.a", base=0, active_seconds=1)
    return assignment.group_key


def test_a_twin_is_not_taken_up_right_after_the_other_but_once_another_item_came_between(batch: Any, bob: Any) -> None:
    twins_in_front(batch)
    first = claimed(bob, batch)
    assert leases.return_assignment(first)
    assert [answered(claimed(bob, batch)) for _ in range(2)] == ["between", "twins"]
    assert not next_assignment.take_up(first)
    assert answered(claimed(bob, batch)) == "after"
    assert next_assignment.take_up(first)


def test_what_was_taken_up_is_not_followed_by_its_twin(batch: Any, bob: Any) -> None:
    twins_in_front(batch)
    first = claimed(bob, batch)
    assert leases.return_assignment(first)
    assert answered(claimed(bob, batch)) == "between"
    assert next_assignment.take_up(first)
    answered(first)
    assert answered(claimed(bob, batch)) == "after"
    assert answered(claimed(bob, batch)) == "twins"


def test_a_return_in_between_does_not_bring_twins_together(batch: Any, bob: Any) -> None:
    twins_in_front(batch)
    assert answered(claimed(bob, batch)) == "twins"
    between = claimed(bob, batch)
    assert leases.return_assignment(between)
    assert answered(claimed(bob, batch)) == "after"
    assert answered(claimed(bob, batch)) == "twins"


def test_a_second_thought_about_an_answer_leaves_the_order_as_it_was(batch: Any, bob: Any) -> None:
    twins_in_front(batch)
    first = claimed(bob, batch)
    answered(first)
    between = claimed(bob, batch)
    submissions.submit(first, answer_to(first), key="1.b", base=1, active_seconds=2)
    assert claimed(bob, batch) == between
    assert [answered(between), answered(claimed(bob, batch))] == ["between", "twins"]


def test_it_refuses_when_its_place_is_taken(batch: Any, bob: Any, carol: Any) -> None:
    Hit.objects.filter(batch=batch).update(wanted=1)
    first = claimed(bob, batch)
    assert leases.return_assignment(first)
    while (other := claimed(carol, batch)).hit_id != first.hit_id:
        assert other.move("submitted", submitted_at=Now(), revision=1)
        Hit.objects.filter(pk=other.hit_id).update(live=0, done=1)
    assert not next_assignment.take_up(first)
    first.refresh_from_db()
    assert first.state == "returned"


def test_a_freed_place_is_offered_to_whoever_went_past_it(batch: Any, bob: Any, carol: Any) -> None:
    Hit.objects.filter(batch=batch).update(wanted=1)
    first = claimed(bob, batch)
    while (other := next_assignment.claim(next_assignment.join_batch(carol, batch))) is not None:
        submissions.submit(other, answer_to(other), key="0.a", base=0, active_seconds=1)
    assert leases.return_assignment(first)
    assert claimed(carol, batch).hit_id == first.hit_id
