"""Approvals, rejections, bonuses and letters reach a marketplace, each once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F

from annotation.flow.notifications import worker_messages
from annotation.flow.review import assignment_approval
from annotation.marketplaces.flow import payments
from annotation.marketplaces.models import Arrival
from annotation.marketplaces.mturk.marketplace import MTurk
from annotation.models import Assignment, Message, Payment
from tests.marketplaces import visitors
from tests.marketplaces.conftest import QUICK
from tests.marketplaces.fake_mturk import FakeMTurk, No

pytestmark = pytest.mark.django_db


@pytest.fixture
def done(published: Any, connection: Any, elsewhere: FakeMTurk) -> Arrival:
    """Somebody did a HIT of `published`, there and here."""
    publication = published.hits.order_by("pk")[0].publication
    found = visitors.work(elsewhere, publication, "ANNA")
    visitors.look_now(connection)
    found.refresh_from_db()
    return found


def settle(connection: Any, **more: Any) -> int:
    return payments.send_due(connection, patience=replace(QUICK, **more))


def state_there(elsewhere: FakeMTurk, arrival: Arrival) -> str:
    return str(elsewhere.assignments[arrival.external_assignment]["AssignmentStatus"])


def bonus(arrival: Arrival, amount: str = "0.50", key: str = "bonus-1") -> Payment:
    ours = Assignment.objects.select_related("batch__project", "hit").get(pk=arrival.assignment_id)
    return assignment_approval.add_payment(ours, Payment.Kind.BONUS, Decimal(amount), key=key, reason="Well asked.")


def test_an_approval_here_is_one_there(done: Arrival, connection: Any, elsewhere: FakeMTurk) -> None:
    assignment_approval.approve(done.assignment)
    assert state_there(elsewhere, done) == "Submitted"
    assert settle(connection) == 1
    assert state_there(elsewhere, done) == "Approved"
    assert Payment.objects.get().state == "paid"
    assert settle(connection) == 0
    assert elsewhere.calls.count("ApproveAssignment") == 1


def test_who_was_approved_there_meanwhile_is_paid_all_the_same(
    done: Arrival, connection: Any, elsewhere: FakeMTurk
) -> None:
    assignment_approval.approve(done.assignment)
    elsewhere.answer("ApproveAssignment", {"AssignmentId": done.external_assignment})
    settle(connection)
    assert Payment.objects.get().state == "paid"
    assert elsewhere.assignments[done.external_assignment]["approvals"] == 1


def test_a_rejection_is_told_with_its_reason(done: Arrival, connection: Any, elsewhere: FakeMTurk) -> None:
    assignment_approval.reject(done.assignment, text="The answer is empty.")
    settle(connection)
    assert elsewhere.assignments[done.external_assignment]["told"] == "The answer is empty."
    before = list(elsewhere.calls)
    settle(connection)
    assert elsewhere.calls == before


def test_the_last_decision_is_the_one_that_is_told(done: Arrival, connection: Any, elsewhere: FakeMTurk) -> None:
    assignment_approval.reject(done.assignment, text="The answer is empty.")
    assignment_approval.approve(done.assignment, override=True, text="It was my mistake.")
    settle(connection)
    assert elsewhere.assignments[done.external_assignment]["feedback"] == "It was my mistake."


def test_a_rejection_that_is_taken_back_is_taken_back_there(
    done: Arrival, connection: Any, elsewhere: FakeMTurk
) -> None:
    assignment_approval.reject(done.assignment, text="No.")
    settle(connection)
    assignment_approval.approve(done.assignment, override=True)
    settle(connection)
    assert state_there(elsewhere, done) == "Approved"


def test_a_bonus_is_sent_once_and_after_its_reward(done: Arrival, connection: Any, elsewhere: FakeMTurk) -> None:
    assignment_approval.approve(done.assignment)
    bonus(done)
    while settle(connection):
        pass
    assert [b["BonusAmount"] for b in elsewhere.bonuses] == ["0.50"]
    assert elsewhere.bonuses[0]["Reason"].startswith("Well asked. (ref ")
    assert elsewhere.calls.index("ApproveAssignment") < elsewhere.calls.index("SendBonus")


def test_a_bonus_whose_reply_was_lost_is_not_paid_twice(
    done: Arrival, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    payment = bonus(done)
    lost = _lose_replies(elsewhere, monkeypatch)
    assert settle(connection, first_delay=1e6, longest_delay=1e6) == 0
    lost.undo()
    Payment.objects.update(due_at=F("first_try_at"))
    assert settle(connection) == 1
    assert len(elsewhere.bonuses) == 1
    payment.refresh_from_db()
    assert payment.state == "paid"


def _lose_replies(elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    real = elsewhere.do_SendBonus

    def pay_and_break(wish: dict[str, Any]) -> dict[str, Any]:
        real(wish)
        raise No("Something is wrong here", code="ServiceFault")

    monkeypatch.setattr(elsewhere, "do_SendBonus", pay_and_break)
    return monkeypatch


def make_old() -> None:
    old = {"first_try_at": F("first_try_at") - timedelta(days=2), "last_try_at": F("last_try_at") - timedelta(days=2)}
    Payment.objects.update(**old, due_at=F("first_try_at"), lease_until=None)


def test_a_bonus_whose_token_is_forgotten_is_looked_for_in_the_list(
    done: Arrival, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    bonus(done)
    lost = _lose_replies(elsewhere, monkeypatch)
    settle(connection, first_delay=1e6, longest_delay=1e6)
    lost.undo()
    elsewhere.memory = 0.0
    make_old()
    assert settle(connection) == 1
    assert len(elsewhere.bonuses) == 1
    assert elsewhere.calls.count("SendBonus") == 1


def test_without_that_look_the_same_bonus_would_be_paid_twice(
    done: Arrival, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    bonus(done)
    lost = _lose_replies(elsewhere, monkeypatch)
    settle(connection, first_delay=1e6, longest_delay=1e6)
    lost.undo()
    elsewhere.memory = 0.0
    make_old()
    settle(connection, memory=timedelta(days=99))
    assert len(elsewhere.bonuses) == 2


def test_a_bonus_that_is_not_listed_is_sent_after_two_looks(
    done: Arrival, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    bonus(done)
    monkeypatch.setattr(elsewhere, "do_SendBonus", lambda _wish: {}["nothing"])
    settle(connection, first_delay=1e6, longest_delay=1e6)
    monkeypatch.undo()
    make_old()
    assert settle(connection, lag=timedelta(seconds=30)) == 0
    assert not elsewhere.bonuses
    Payment.objects.update(missed_at=F("missed_at") - timedelta(minutes=1), due_at=F("missed_at"))
    assert settle(connection, lag=timedelta(seconds=30)) == 1
    assert len(elsewhere.bonuses) == 1


def test_what_is_refused_for_good_is_shown_and_tried_again_on_demand(
    done: Arrival, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_wish: dict[str, Any]) -> dict[str, Any]:
        raise No("This Requester has insufficient funds in their account to complete this transaction.")

    payment = bonus(done)
    monkeypatch.setattr(elsewhere, "do_SendBonus", refuse)
    settle(connection)
    payment.refresh_from_db()
    assert (payment.state, "insufficient" in payment.error) == ("failed", True)
    monkeypatch.undo()
    assert payments.try_again(payment.batch) == 1
    assert settle(connection) == 1


def test_a_letter_is_passed_on_once(done: Arrival, connection: Any, elsewhere: FakeMTurk) -> None:
    worker_messages.send(done.assignment.worker, "About your question", "We liked it.")
    settle(connection)
    settle(connection)
    assert [(letter["WorkerIds"], letter["MessageText"]) for letter in elsewhere.letters] == [
        (["ANNA"], "We liked it.")
    ]


def test_a_letter_needs_no_payment_to_be_passed_on(done: Arrival, elsewhere: FakeMTurk) -> None:
    worker_messages.send(done.assignment.worker, "", "We liked it.")
    payments.sweep()
    assert len(elsewhere.letters) == 1


def test_a_letter_that_is_refused_is_not_sent_for_ever(
    done: Arrival, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_wish: dict[str, Any]) -> dict[str, Any]:
        elsewhere.letters.append({})
        raise No("You may not write to this worker.")

    worker_messages.send(done.assignment.worker, "", "We liked it.")
    monkeypatch.setattr(elsewhere, "do_NotifyWorkers", refuse)
    payments.sweep()
    payments.sweep()
    assert len(elsewhere.letters) == 1
    connection.refresh_from_db()
    assert "You may not write" in connection.trouble


def test_two_payers_do_not_take_the_same_payment(done: Arrival, connection: Any) -> None:
    bonus(done)
    assert payments.take(connection, patience=QUICK) is not None
    assert payments.take(connection, patience=QUICK) is None


def test_two_who_send_at_once_pass_a_letter_on_once(
    done: Arrival, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    notify = MTurk.message

    def slowly(self: MTurk, *result: Any) -> dict[str, str]:
        monkeypatch.setattr(MTurk, "message", notify)
        settle(connection)  # another process, while the call of the first is under way
        return notify(self, *result)

    monkeypatch.setattr(MTurk, "message", slowly)
    worker_messages.send(done.assignment.worker, "", "We liked it.")
    settle(connection)
    assert len(elsewhere.letters) == 1


def test_a_letter_that_could_not_be_told_is_no_secret(
    done: Arrival, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = {
        "NotifyWorkersFailureCode": "HardFailure",
        "NotifyWorkersFailureMessage": "Never met.",
        "WorkerId": "ANNA",
    }
    monkeypatch.setattr(elsewhere, "do_NotifyWorkers", lambda _wish: {"NotifyWorkersFailureStatuses": [failure]})
    worker_messages.send(done.assignment.worker, "", "We liked it.")
    settle(connection)
    connection.refresh_from_db()
    assert "a message to ANNA was refused: Never met." in connection.trouble


def test_a_letter_whose_sender_died_comes_again_after_its_lease(
    done: Arrival, connection: Any, elsewhere: FakeMTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_told: Any) -> dict[str, str]:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(MTurk, "message", dies)
        worker_messages.send(done.assignment.worker, "", "We liked it.")
        with pytest.raises(SystemExit):
            settle(connection)
    settle(connection)
    assert elsewhere.letters == []
    Message.objects.update(lease_until=F("lease_until") - timedelta(minutes=10))
    settle(connection)
    assert len(elsewhere.letters) == 1
