"""Drafts, submissions and revisions: nothing sent is lost, overwritten or counted twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Conflict
from annotation.flow.work import leases
from annotation.flow.work.submissions import StaleDraft, save_draft
from annotation.models import Assignment, Batch, Hit, Participation, WorkerResponse
from tests.conftest import answer_to
from tests.flow.acting import answer_all, newcomer, submit, take

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="the answer and its counters are one transaction")]
OTHER = {"kind": "typed", "text": "the other tower", "support": [1], "facts": []}


@pytest.fixture
def assignment(batch: Batch, bob: Any) -> Assignment:
    found = take(bob, batch)
    assert found is not None
    return found


def counters(assignment: Assignment) -> tuple[int, int]:
    hit = Hit.objects.get(pk=assignment.hit_id)
    return hit.live, hit.done


def test_nothing_ends_before_it_was_accepted_even_if_the_clock_was_set_back(assignment: Assignment, bob: Any) -> None:
    ahead = Now() + timedelta(hours=1)
    Assignment.objects.filter(pk=assignment.pk).update(accepted_at=ahead)
    submit(assignment)
    assignment.refresh_from_db()
    assert assignment.submitted_at == assignment.accepted_at
    other = take(bob, assignment.batch)
    assert other is not None
    Assignment.objects.filter(pk=other.pk).update(accepted_at=ahead)
    leases.return_assignment(other)
    other.refresh_from_db()
    assert other.ended_at == other.accepted_at


def test_a_submission_is_stored_as_it_was_sent_and_counted(assignment: Assignment, bob: Any) -> None:
    receipt = submit(assignment)
    assert (receipt.assignment, receipt.revision, receipt.late, receipt.counts) == (
        assignment.public_id,
        1,
        False,
        True,
    )
    stored = WorkerResponse.objects.get()
    assert (stored.answer, stored.revision, stored.active_seconds) == (answer_to(assignment), 1, 12.5)
    assert counters(assignment) == (0, 1)
    assert Participation.objects.get(worker=bob).done == 1
    assignment.refresh_from_db()
    assert (assignment.draft, assignment.revision) == (None, 1)


def test_a_form_sent_twice_gets_the_same_receipt_and_counts_once(assignment: Assignment) -> None:
    assert submit(assignment) == submit(assignment)
    assert WorkerResponse.objects.count() == 1
    assert counters(assignment) == (0, 1)
    assert Participation.objects.get().done == 1


def test_the_same_form_with_another_answer_is_a_conflict_and_the_first_stands(assignment: Assignment) -> None:
    submit(assignment)
    with pytest.raises(Conflict, match="The first one counts"):
        submit(assignment, OTHER)
    assert [answer.answer for answer in WorkerResponse.objects.all()] == [answer_to(assignment)]


def test_a_tab_that_was_overtaken_is_told_so_and_changes_nothing(assignment: Assignment) -> None:
    submit(assignment, key="0.one")
    with pytest.raises(Conflict, match="another tab"):
        submit(assignment, OTHER, key="0.two")
    submit(assignment, OTHER, key="1.one", base=1)
    with pytest.raises(Conflict, match="another tab"):
        submit(assignment, answer_to(assignment), key="1.two", base=1)
    assert list(WorkerResponse.objects.order_by("revision").values_list("revision", "key")) == [
        (1, "0.one"),
        (2, "1.one"),
    ]


def test_an_old_form_is_answered_with_its_own_receipt_for_ever(assignment: Assignment) -> None:
    first = submit(assignment, key="0.one")
    second = submit(assignment, OTHER, key="1.one", base=1)
    assert submit(assignment, key="0.one") == first
    assert submit(assignment, OTHER, key="1.one", base=1) == second
    assert second.revision == 2


def test_a_change_is_a_new_revision_and_the_old_one_stays(assignment: Assignment) -> None:
    submit(assignment)
    submit(assignment, OTHER, key="1.x", base=1)
    assignment.refresh_from_db()
    assert assignment.current is not None
    assert assignment.current.answer == OTHER
    assert [a.answer for a in assignment.responses.order_by("revision")] == [answer_to(assignment), OTHER]
    assert counters(assignment) == (0, 1)
    assert Participation.objects.get().done == 1


@pytest.mark.parametrize("halt", [batch_launch.pause, batch_launch.close])
def test_an_answer_changes_only_while_the_batch_is_open(assignment: Assignment, halt: Any) -> None:
    receipt = submit(assignment)
    halt(assignment.batch)
    with pytest.raises(Conflict, match="can no longer be changed"):
        submit(assignment, OTHER, key="1.x", base=1)
    assert submit(assignment) == receipt
    batch_launch.resume(assignment.batch)
    assert submit(assignment, OTHER, key="1.x", base=1).revision == 2


def test_a_late_answer_counts_while_there_is_room(assignment: Assignment) -> None:
    leases.return_assignment(assignment, to="expired")
    receipt = submit(assignment)
    assert (receipt.late, receipt.counts) == (True, True)
    assert counters(assignment) == (0, 1)
    assignment.refresh_from_db()
    assert (assignment.state, assignment.late, assignment.ended_at) == ("submitted", True, None)


def test_a_late_answer_without_room_is_kept_as_surplus(assignment: Assignment, project: Any) -> None:
    leases.return_assignment(assignment)
    for name in ("dan", "eve"):
        answer_all(newcomer(project, name), assignment.batch)
    receipt = submit(assignment)
    assert (receipt.late, receipt.counts) == (True, False)
    assert counters(assignment) == (0, 2)
    assert WorkerResponse.objects.filter(assignment=assignment).get().answer == answer_to(assignment)
    assert assignment in assignment.batch.assignments.submitted()


def test_a_late_answer_to_a_closed_batch_or_an_excluded_hit_is_stored(assignment: Assignment) -> None:
    from annotation.flow.review import problem_reports

    leases.return_assignment(assignment)
    problem_reports.exclude(assignment.hit, reason="broken")
    batch_launch.close(assignment.batch)
    assert submit(assignment).counts is False
    assert WorkerResponse.objects.count() == 1


def test_a_surplus_answer_can_be_changed_and_stays_surplus(assignment: Assignment, project: Any) -> None:
    leases.return_assignment(assignment)
    for name in ("dan", "eve"):
        answer_all(newcomer(project, name), assignment.batch)
    submit(assignment)
    receipt = submit(assignment, OTHER, key="1.x", base=1)
    assert (receipt.revision, receipt.late, receipt.counts) == (2, True, False)


def test_a_draft_has_a_version_and_an_older_tab_is_told_of_the_newer(assignment: Assignment) -> None:
    assert save_draft(assignment, {"text": "one"}, version=0, active_seconds=5) == 1
    assert save_draft(assignment, {"text": "two"}, version=1, active_seconds=9) == 2
    with pytest.raises(StaleDraft) as stale:
        save_draft(assignment, {"text": "old tab"}, version=1, active_seconds=2)
    assert (stale.value.version, stale.value.draft) == (2, {"text": "two"})
    assignment.refresh_from_db()
    assert (assignment.draft, assignment.active_seconds) == ({"text": "two"}, 9)


def test_a_draft_is_kept_when_the_lease_is_over(assignment: Assignment) -> None:
    leases.return_assignment(assignment, to="expired")
    assert save_draft(assignment, {"text": "kept"}, version=0, active_seconds=1) == 1
    assignment.refresh_from_db()
    assert assignment.draft == {"text": "kept"}


def test_the_active_time_never_shrinks(assignment: Assignment) -> None:
    save_draft(assignment, {"text": "one"}, version=0, active_seconds=90)
    submit(assignment)
    assignment.refresh_from_db()
    assert assignment.active_seconds == 90


def test_an_answer_keeps_every_character_that_utf_8_has(assignment: Assignment) -> None:
    text = "\u202eright to left \U0001f469\u200d\U0001f680 e\u0301 \ufeff \x7f"
    submit(assignment, OTHER | {"text": text})
    assert WorkerResponse.objects.get().answer["text"] == text


def test_a_draft_that_comes_after_the_submission_is_none_of_it(assignment: Assignment) -> None:
    """Its request read the assignment before the answer was in."""
    before = Assignment.objects.get(pk=assignment.pk)
    submit(assignment)
    with pytest.raises(StaleDraft):
        save_draft(before, {"text": "half"}, version=0, active_seconds=1)
    assignment.refresh_from_db()
    assert assignment.draft is None
