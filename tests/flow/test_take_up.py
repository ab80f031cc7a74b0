"""Taking a returned or expired assignment up again keeps to the rules of the first time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.flow import assigning, submitting
from annotation.models import Assignment, Hit
from tests.conftest import answer_to


def claimed(worker: Any, batch: Any) -> Assignment:
    assignment = assigning.claim(assigning.sit_down(worker, batch))
    assert assignment is not None
    return assignment


def test_it_gives_the_assignment_back_with_its_draft_and_a_new_lease(batch: Any, bob: Any) -> None:
    assignment = claimed(bob, batch)
    Assignment.objects.filter(pk=assignment.pk).update(draft={"kind": "none"}, lease_until=Now() - timedelta(hours=1))
    assert assigning.expire_due() == 1
    assignment.refresh_from_db()
    assert assigning.take_up(assignment)
    assignment.refresh_from_db()
    assert (assignment.state, assignment.counts, assignment.draft) == ("accepted", True, {"kind": "none"})
    assert assigning.expire_due() == 0
    assert Hit.objects.get(pk=assignment.hit_id).live == 1


def test_it_refuses_while_another_one_is_under_way(batch: Any, bob: Any) -> None:
    first = claimed(bob, batch)
    assert assigning.give_back(first)
    second = claimed(bob, batch)
    assert second != first
    assert not assigning.take_up(first)
    first.refresh_from_db()
    assert first.state == "returned"
    assert Hit.objects.get(pk=first.hit_id).live == 0


def test_it_refuses_a_twin_whose_other_the_worker_met_since(batch: Any, bob: Any) -> None:
    Hit.objects.filter(batch=batch).update(group_key="twins")
    first = claimed(bob, batch)
    assert assigning.give_back(first)
    second = claimed(bob, batch)
    assert second.move("submitted", submitted_at=Now(), revision=1)
    assert not assigning.take_up(first)


@pytest.mark.parametrize("meeting", ["apart", "free"])
def test_twins_that_may_meet_can_be_taken_up(batch: Any, bob: Any, meeting: str) -> None:
    Hit.objects.filter(batch=batch).update(group_key="twins")
    batch.meeting = "free"
    batch.save()
    first = claimed(bob, batch)
    assert assigning.give_back(first)
    second = claimed(bob, batch)
    assert second.move("submitted", submitted_at=Now(), revision=1)
    first.batch.meeting = meeting
    assert assigning.take_up(first)


def test_it_refuses_when_its_place_is_taken(batch: Any, bob: Any, carol: Any) -> None:
    Hit.objects.filter(batch=batch).update(wanted=1)
    first = claimed(bob, batch)
    assert assigning.give_back(first)
    while (other := claimed(carol, batch)).hit_id != first.hit_id:
        assert other.move("submitted", submitted_at=Now(), revision=1)
        Hit.objects.filter(pk=other.hit_id).update(live=0, done=1)
    assert not assigning.take_up(first)
    first.refresh_from_db()
    assert first.state == "returned"


def test_a_freed_place_is_offered_to_whoever_went_past_it(batch: Any, bob: Any, carol: Any) -> None:
    Hit.objects.filter(batch=batch).update(wanted=1)
    first = claimed(bob, batch)
    while (other := assigning.claim(assigning.sit_down(carol, batch))) is not None:
        submitting.submit(other, answer_to(other), key="0.a", base=0, active_seconds=1)
    assert assigning.give_back(first)
    assert claimed(carol, batch).hit_id == first.hit_id
