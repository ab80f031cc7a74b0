"""Answers that wait for a decision on their pay: what is done to one and to many, and never twice."""

from __future__ import annotations

import csv
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.utils import timezone

from annotation.flow.errors import Conflict, Refused
from annotation.flow.money import batch_funds, ledger
from annotation.flow.money.ledger import Overdrawn
from annotation.flow.review import approval_queue, assignment_approval, review_decisions
from annotation.flow.review.assignment_approval import WrongState
from annotation.flow.work import submissions
from annotation.models import Approval, Assignment, AuditEntry, Batch, Hit, Message, Payment
from annotation.pure.review import review_state
from tests.conftest import answer_to
from tests.flow.interleaving import just_before
from tests.marketplaces.frames import publish
from tests.views.console import answer

pytestmark = pytest.mark.postgresql(reason="responses are locked, and money moves")

WEEK = 604_800


@pytest.fixture
def paid(batch: Any) -> Any:
    """The batch pays 0.25 an answer, a week after it came, out of a budget of 10."""
    Batch.objects.filter(pk=batch.pk).update(auto_approval=WEEK, reward=Decimal("0.25"))
    Hit.objects.filter(batch=batch).update(reward=Decimal("0.25"))
    ledger.deposit(batch.project, Decimal(10), key="budget")
    batch.refresh_from_db()
    return batch


@pytest.fixture
def rows(paid: Any, bob: Any, carol: Any) -> list[Assignment]:
    """Two answers of Bob's, one of Carol's."""
    return [answer(who, paid) for who in (bob, bob, carol)]


def fresh(row: Assignment) -> Assignment:
    return Assignment.objects.select_related("batch__project", "hit").get(pk=row.pk)


def test_what_is_approved_by_itself_first_waits_first(rows: list[Assignment], batch: Any) -> None:
    soon = timezone.now() + timedelta(hours=47)
    Assignment.objects.filter(pk=rows[2].pk).update(auto_approve_at=soon)
    assert [row.pk for row in approval_queue.waiting(batch.project)] == [rows[2].pk, rows[0].pk, rows[1].pk]
    assert approval_queue.pressing(batch.project) == 1
    assert approval_queue.by_batch(batch.project) == [
        {"batch__slug": "wells-1", "batch__title": batch.title, "n": 3, "due": soon}
    ]
    approval_queue.decide(fresh(rows[2]), "approve", text="", user=None)
    assert approval_queue.waiting(batch.project).count() == 2


def test_a_batch_that_pays_nothing_waits_for_nobody(batch: Any, bob: Any) -> None:
    answer(bob, batch)
    assert not approval_queue.waiting(batch.project).exists()


def test_the_stake_counts_people_and_money(rows: list[Assignment]) -> None:
    assert approval_queue.stake(map(fresh, rows)) == approval_queue.Stake(3, 2, Decimal("0.75"))


def test_many_are_approved_once_however_often_it_is_asked(rows: list[Assignment], alice: Any) -> None:
    assert approval_queue.decide_all(map(fresh, rows), approval_queue.BulkDecision("approve", ""), user=alice).done == 3
    again = approval_queue.decide_all(map(fresh, rows), approval_queue.BulkDecision("approve", ""), user=alice)
    assert (again.done, again.refused) == (0, [])
    assert Payment.objects.count() == 3
    assert sum(payment.amount for payment in Payment.objects.all()) == Decimal("0.75")


def test_two_reviewers_pay_once_and_the_second_is_told(rows: list[Assignment], alice: Any) -> None:
    first, second = fresh(rows[0]), fresh(rows[0])
    assert approval_queue.decide(first, "reject", text="Empty.", user=alice)
    with pytest.raises(WrongState):
        approval_queue.decide(second, "approve", text="", user=None)
    assert not Payment.objects.exists()
    first, second = fresh(rows[1]), fresh(rows[1])
    assert approval_queue.decide(first, "approve", text="", user=alice)
    with pytest.raises(WrongState):
        approval_queue.decide(second, "reject", text="Empty.", user=None)
    assert Payment.objects.count() == 1


def test_nothing_is_rejected_without_a_reason(rows: list[Assignment]) -> None:
    with pytest.raises(Refused):
        approval_queue.decide_all(map(fresh, rows), approval_queue.BulkDecision("reject", "  "), user=None)
    with pytest.raises(Refused):
        approval_queue.decide(fresh(rows[0]), "approve all", text="", user=None)
    assert not Approval.objects.exists()


def test_what_the_budget_does_not_cover_keeps_back_no_other(rows: list[Assignment], batch: Any) -> None:
    left = ledger.balance(batch.project, "available") - Decimal("0.30")
    ledger.deposit(batch.project, -left, key="out")
    outcome = approval_queue.decide_all(map(fresh, rows), approval_queue.BulkDecision("approve", ""), user=None)
    assert (outcome.done, len(outcome.refused)) == (1, 2)
    assert approval_queue.waiting(batch.project).count() == 2


def test_what_was_decided_before_a_crash_stands_in_the_log_and_nothing_else(
    rows: list[Assignment], batch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = ledger.balance(batch.project, "available") - Decimal("0.30")
    ledger.deposit(batch.project, -left, key="out")
    approve = assignment_approval.approve

    def dies(row: Assignment, **how: Any) -> bool:
        if row.pk == rows[2].pk:
            raise SystemExit
        return approve(row, **how)

    monkeypatch.setattr(assignment_approval, "approve", dies)
    with pytest.raises(SystemExit):
        approval_queue.decide_all(map(fresh, rows), approval_queue.BulkDecision("approve", ""), user=None)
    result = AuditEntry.objects.filter(act="approved").values_list("key", flat=True)
    assert list(result) == [rows[0].public_id]


def test_a_rejection_is_taken_back_within_30_days(rows: list[Assignment]) -> None:
    for row in rows[:2]:
        approval_queue.decide(fresh(row), "reject", text="Empty.", user=None)
    assert assignment_approval.can_be_overridden(fresh(rows[0]))
    with pytest.raises(WrongState):
        approval_queue.decide(fresh(rows[0]), "approve", text="", user=None)
    assert approval_queue.decide(fresh(rows[0]), "override", text="Our mistake.", user=None)
    assert [one.decision for one in fresh(rows[0]).approvals.order_by("pk")] == ["rejected", "approved"]
    Assignment.objects.filter(pk=rows[1].pk).update(rejected_at=timezone.now() - timedelta(days=31))
    assert not assignment_approval.can_be_overridden(fresh(rows[1]))
    with pytest.raises(WrongState):
        approval_queue.decide(fresh(rows[1]), "override", text="", user=None)
    assert Payment.objects.count() == 1


def test_one_form_pays_one_bonus(rows: list[Assignment], alice: Any) -> None:
    given = {"reason": "A fine question.", "form": "abc", "user": alice}
    first = approval_queue.bonus(rows[0], Decimal("1.50"), **given)
    assert approval_queue.bonus(rows[0], Decimal("1.50"), **given) == first
    assert approval_queue.bonus(rows[0], Decimal("1.50"), **(given | {"form": "def"})) != first
    assert sum(p.amount for p in Payment.objects.filter(kind="bonus")) == Decimal("3.00")


@pytest.mark.parametrize("amount", ["0", "-1", "0.001", "1.005", "10000.01"])
def test_a_bonus_is_dollars_and_cents(amount: str, rows: list[Assignment]) -> None:
    with pytest.raises(Refused):
        approval_queue.bonus(rows[0], Decimal(amount), reason="Fine.", form="a", user=None)
    with pytest.raises(Refused):
        approval_queue.bonus(rows[0], Decimal(1), reason=" ", form="a", user=None)
    with pytest.raises(Overdrawn):
        approval_queue.bonus(rows[0], Decimal(500), reason="Fine.", form="a", user=None)
    assert not Payment.objects.exists()


def due_in(row: Assignment) -> timedelta:
    return fresh(row).auto_approve_at - timezone.now()


def test_the_clock_begins_anew_when_an_answer_is_returned_and_when_it_is_repaired(rows: list[Assignment]) -> None:
    row = rows[0]
    Assignment.objects.filter(pk=row.pk).update(auto_approve_at=timezone.now() + timedelta(hours=1))
    approval_queue.send_back(fresh(row), 1, message="Name the tower.", user=None)
    assert due_in(row) > timedelta(days=6)
    Assignment.objects.filter(pk=row.pk).update(auto_approve_at=timezone.now() + timedelta(hours=1))
    submissions.submit(fresh(row), answer_to(row) | {"text": "Tower"}, key="1.a", base=1, active_seconds=1)
    assert due_in(row) > timedelta(days=6)
    Assignment.objects.filter(pk=row.pk).update(auto_approve_at=timezone.now() + timedelta(hours=1))
    submissions.submit(fresh(row), answer_to(row), key="2.a", base=2, active_seconds=1)  # nobody asked for that
    assert due_in(row) < timedelta(hours=2)


def test_what_is_not_repaired_is_approved_when_its_time_is_over(rows: list[Assignment]) -> None:
    approval_queue.send_back(fresh(rows[0]), 1, message="Name the tower.", user=None)
    Assignment.objects.filter(pk=rows[0].pk).update(auto_approve_at=timezone.now() - timedelta(minutes=1))
    assert assignment_approval.approve_due() == 1


def test_one_that_is_rejected_while_others_are_approved_does_not_stop_them(rows: list[Assignment]) -> None:
    Assignment.objects.update(auto_approve_at=timezone.now() - timedelta(minutes=1))
    with just_before("SAVEPOINT", lambda: assignment_approval.reject(fresh(rows[0]), text="Not read.")) as done:
        assert assignment_approval.approve_due() == 2
    assert done
    assert fresh(rows[0]).approval == "rejected"


def test_an_answer_that_was_decided_on_is_neither_returned_nor_changed(rows: list[Assignment]) -> None:
    approval_queue.decide(fresh(rows[0]), "approve", text="", user=None)
    with pytest.raises(WrongState):
        approval_queue.send_back(fresh(rows[0]), 1, message="Name it.", user=None)
    with pytest.raises(Conflict):
        submissions.submit(fresh(rows[0]), answer_to(rows[0]) | {"text": "x"}, key="1.a", base=1, active_seconds=1)


def test_a_marketplaces_worker_cannot_be_asked_to_repair(rows: list[Assignment], batch: Any) -> None:
    publish(batch)
    with pytest.raises(Refused, match="cannot return to the response"):
        approval_queue.send_back(fresh(rows[0]), 1, message="Name it.", user=None)


def test_accepting_and_approving_is_both_or_neither(rows: list[Assignment], batch: Any, alice: Any) -> None:
    wish = review_decisions.Decision(review_state.ACCEPTED, {})
    left = ledger.balance(batch.project, "available") - Decimal("0.10")
    ledger.deposit(batch.project, -left, key="out")
    with pytest.raises(Overdrawn):
        approval_queue.accept_and_approve(fresh(rows[0]), 1, wish, user=alice)
    assert not rows[0].reviews.exists()
    ledger.deposit(batch.project, Decimal(5), key="in")
    approval_queue.accept_and_approve(fresh(rows[0]), 1, wish, user=alice)
    assert (fresh(rows[0]).approval, rows[0].reviews.get().decision) == ("approved", "accepted")


def test_the_same_letter_is_sent_once(rows: list[Assignment], alice: Any) -> None:
    assert approval_queue.message(rows[0], "", "Thank you.", user=alice)
    assert not approval_queue.message(rows[0], "", "Thank you.", user=alice)
    assert approval_queue.message(rows[0], "", "And again.", user=alice)
    assert Message.objects.filter(worker=rows[0].worker).count() == 2


def test_the_file_tells_every_decision_and_runs_nothing(rows: list[Assignment], batch: Any, alice: Any) -> None:
    approval_queue.decide(fresh(rows[0]), "reject", text="=cmd()", user=alice)
    approval_queue.decide(fresh(rows[0]), "override", text="", user=alice)
    approval_queue.bonus(rows[0], Decimal("0.50"), reason="Sorry.", form="a", user=alice)
    approval_queue.decide(fresh(rows[1]), "approve", text="", user=None)
    result = list(csv.DictReader(StringIO("".join(approval_queue.lines(batch.project)))))
    assert [(one["decision"], one["reward"], one["bonuses"]) for one in result] == [
        ("rejected", "0.00", "0.00"), ("approved", "0.25", "0.50"), ("approved", "0.25", "0.00"),
    ]  # fmt: skip
    assert result[0]["text"] == "'=cmd()"
    assert {result[0]["worker"]} == {rows[0].worker.pseudonym}
    assert [one["by"] for one in result] == ["Alice", "Alice", "requester"]
    assert "bob" not in "".join(approval_queue.lines(batch.project))


def test_what_was_set_aside_pays_for_it(rows: list[Assignment], batch: Any) -> None:
    before = ledger.balance(batch.project, "available")
    held = batch_funds.batch_money(fresh(rows[0]).batch)["held"]
    approval_queue.decide(fresh(rows[0]), "approve", text="", user=None)
    after = ledger.balance(batch.project, "available") + batch_funds.batch_money(fresh(rows[0]).batch)["held"]
    assert before + held - after == Decimal("0.25")
