"""Decisions on visits are sent until Prolific has carried them out, and only then count as paid."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone
from prolific_emulator import submissions

from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger, ledger_audit
from annotation.flow.review import assignment_approval
from annotation.marketplaces.flow import visit_decisions, visit_states
from annotation.marketplaces.models import Difference, PanelStudy, Visit
from annotation.models import Assignment, Entry, Payment
from tests.flow.acting import submit, take
from tests.marketplaces.prolific.panel import Panel, came_back, send, sync

pytestmark = pytest.mark.django_db
APPROVED = Assignment.Approved.APPROVED


def states() -> list[str]:
    return sorted(Payment.objects.values_list("state", flat=True))


def test_approvals_sent_together_count_as_paid_when_they_are_carried_out(paying: Panel) -> None:
    paying.emulator.world.approval_delay = timedelta(minutes=5)
    for visit in (came_back(paying), came_back(paying)):
        assert visit_decisions.approve(visit, user=None)
    send(paying)
    sync(paying)
    assert states() == ["due", "due"]
    assert not Difference.objects.filter(kind=Difference.Kind.DECIDED_HERE).exists()
    paying.emulator.world.turn(timedelta(minutes=6))
    sync(paying)
    assert states() == ["paid", "paid"]
    assert {one.approvals for one in paying.emulator.world.submissions.values()} == {1}


def test_an_approval_that_was_taken_but_never_carried_out_is_sent_again_by_itself(paying: Panel) -> None:
    visits = [came_back(paying), came_back(paying)]
    paying.emulator.world.approval_delay = timedelta(minutes=5)
    for visit in visits:
        visit_decisions.approve(visit, user=None)
    send(paying)
    paying.emulator.world.delayed.clear()  # they are forgotten there
    Visit.objects.update(sent_at=timezone.now() - visit_decisions.CARRIED_OUT_WITHIN - timedelta(minutes=1))
    sync(paying)
    assert Difference.objects.filter(kind=Difference.Kind.DECIDED_HERE, gone_at=None).count() == 2
    send(paying)
    sync(paying)
    assert states() == ["paid", "paid"]
    assert not Difference.objects.filter(gone_at=None).exists()


def test_an_unfinished_visit_whose_responses_are_approved_in_time_is_approved_too(paying: Panel) -> None:
    visit = came_back(paying, state="ended", outcome="")
    Assignment.objects.update(auto_approve_at=timezone.now() - timedelta(minutes=1))
    assert assignment_approval.approve_due() == 1
    visit.refresh_from_db()
    assert visit.decision == "approved"
    send(paying)
    sync(paying)
    assert states() == ["paid"]


@pytest.mark.parametrize("approved", [True, False])
def test_a_response_after_the_end_of_its_visit_is_booked_within_its_reward(paying: Panel, *, approved: bool) -> None:
    PanelStudy.objects.update(hits_per_visit=2, reward=Decimal("3.00"))
    visit = came_back(paying, state="live", deadline=timezone.now() + timedelta(hours=1))
    late = take(visit.worker, paying.batch)
    assert late is not None
    ledger.deposit(paying.batch.project, Decimal("200.00"), key="budget")
    batch_funds.adjust_hold(paying.batch)
    Visit.objects.update(state="ended" if approved else "done", outcome="" if approved else "done")
    if approved:
        visit_decisions.approve(visit, user=None)
    submit(late)
    Assignment.objects.exclude(auto_approve_at=None).update(auto_approve_at=timezone.now() - timedelta(minutes=1))
    assignment_approval.approve_due()
    send(paying)
    sync(paying)
    assert sorted(Payment.objects.values_list("amount", "state")) == [(1.5, "paid"), (1.5, "paid")]
    Visit.objects.update(trouble="")  # of which a person hears
    assert visit.external_id in visit_states.settled(visit.study), "nothing waits for the late response"
    assert batch_funds.held(paying.batch) == batch_funds.needed(paying.batch), "nor is money set aside for it"


def test_a_visit_with_a_response_that_is_approved_cannot_be_rejected(paying: Panel) -> None:
    visit = came_back(paying)
    row = Assignment.objects.get()
    Assignment.objects.filter(pk=row.pk).update(approval=APPROVED, approved_at=timezone.now())
    with pytest.raises(Refused, match="approved already"):
        visit_decisions.reject(visit, text="x" * 100, category="NO_DATA", user=None)
    visit.refresh_from_db()
    assert visit.decision == ""


def test_a_visit_that_does_not_count_cannot_be_approved(paying: Panel) -> None:
    visit = came_back(paying, remote_state="returned")
    visit_states.leave_out_if_over(visit)
    with pytest.raises(Refused, match="was returned"):
        visit_decisions.approve(visit, user=None)


def test_an_old_rejection_that_is_reversed_there_stops_no_sync(paying: Panel) -> None:
    visit = came_back(paying)
    assignment_approval.reject(Assignment.objects.get(), text="No.", source="policy")
    Assignment.objects.update(rejected_at=timezone.now() - timedelta(days=40))
    submissions.move(paying.emulator.world, paying.emulator.world.submissions[visit.external_id], "APPROVED")
    sync(paying)
    visit.refresh_from_db()
    assert visit.trouble == visit_states.UNPAID
    assert PanelStudy.objects.get().synced_at is not None


def test_a_visit_without_a_response_that_is_approved_is_in_the_ledger_once(paying: Panel) -> None:
    visit = paying.visit(answered=False)
    Visit.objects.filter(pk=visit.pk).update(decision="", sent_at=None, remote_state="awaiting", state="ended")
    paying.emulator.world.submissions[visit.external_id].status = "AWAITING REVIEW"
    assert visit_decisions.approve(Visit.objects.get(pk=visit.pk), user=None)
    send(paying)
    for _time in range(2):
        sync(paying)
    booked = Entry.objects.filter(worker=visit.worker)
    assert list(booked.values_list("kind", "amount")) == [("reward", paying.study.reward)]
    assert ledger_audit.audit(paying.batch.project) == []


def test_a_sync_takes_in_only_what_may_still_change(paying: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    paid, back, returned = came_back(paying), came_back(paying), came_back(paying)
    visit_decisions.approve(paid, user=None)
    send(paying)
    submissions.move(paying.emulator.world, paying.emulator.world.submissions[returned.external_id], "RETURNED")
    sync(paying)
    taken: list[int] = []
    take_in = visit_states.take_in
    monkeypatch.setattr(visit_states, "take_in", lambda visit, there: (taken.append(visit.pk), take_in(visit, there)))
    sync(paying)
    assert taken == [back.pk]
    Payment.objects.filter(assignment__visited__visit=paid).update(state="due", paid_at=None)
    sync(paying)
    assert (taken, states()) == ([back.pk, paid.pk, back.pk], ["paid"])


def test_a_visit_that_was_returned_meanwhile_is_not_rejected_there_again_and_again(paying: Panel) -> None:
    visit = came_back(paying)
    visit_decisions.reject(visit, text="x" * 100, category="NO_DATA", user=None)
    submissions.move(paying.emulator.world, paying.emulator.world.submissions[visit.external_id], "RETURNED")
    sync(paying)
    send(paying)
    visit.refresh_from_db()
    assert (visit.tries, visit.trouble) == (0, "")


def test_a_visit_whose_responses_were_approved_while_it_was_under_way_is_approved_once_it_is_over(
    paying: Panel,
) -> None:
    visit = came_back(paying, state="live", outcome="")
    Assignment.objects.update(auto_approve_at=timezone.now() - timedelta(minutes=1))
    assert assignment_approval.approve_due() == 1
    sync(paying)
    visit.refresh_from_db()
    assert (visit.state, visit.decision) == ("ended", "approved")
    send(paying)
    sync(paying)
    assert states() == ["paid"]
