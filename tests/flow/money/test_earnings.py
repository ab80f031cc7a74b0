"""What a worker is told of their money."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from annotation.flow.money import ledger
from annotation.flow.money.wages import earnings
from annotation.flow.review import assignment_approval
from annotation.models import Assignment, Batch
from annotation.tasktype import Payable
from tests.capable import grant
from tests.flow.acting import launched, submit, take

pytestmark = pytest.mark.postgresql(reason="amounts and durations are summed by the database")

WEEK = int(timedelta(days=7).total_seconds())


@pytest.fixture
def paid(project: Any, dataset: Any) -> Batch:
    """An open batch of four HITs, one assignment each, that pays 25 cents."""
    ledger.deposit(project, Decimal(20), key="budget")
    return launched(project, "paid", dataset, assignments_per_hit=1, reward=Decimal("0.25"), auto_approval=WEEK)


def answered(worker: Any, batch: Batch) -> Assignment:
    row = take(worker, batch)
    assert row is not None
    submit(row)
    row.refresh_from_db()
    return row


def test_somebody_who_did_nothing_has_nothing(bob: Any) -> None:
    found = earnings(bob)
    assert (found.pending, found.approved, found.rejected_count) == (0, 0, 0)


def test_each_assignment_stands_in_one_state(paid: Batch, bob: Any) -> None:
    rows = [answered(bob, paid) for _ in range(4)]
    found = earnings(bob)
    assert (found.pending, found.pending_count, found.approved_owed) == (Decimal("1.00"), 4, 0)
    assert found.next_approval == rows[0].auto_approve_at
    assignment_approval.approve(rows[0])
    assignment_approval.reject(rows[1], text="Not from the text.")
    assignment_approval.add_payment(rows[0], "bonus", Decimal("0.10"), key="b", reason="Well put.")
    found = earnings(bob)
    assert (found.pending, found.approved_owed, found.bonuses) == (Decimal("0.50"), Decimal("0.35"), Decimal("0.10"))
    assert (found.pending_count, found.approved_count, found.rejected_count) == (2, 1, 1)


def test_an_unpaid_batch_leaves_nothing_pending(batch: Batch, bob: Any) -> None:
    answered(bob, batch)
    assert (earnings(bob).pending, earnings(bob).pending_count) == (0, 0)


def test_what_an_answer_earns_is_what_is_pending_where_the_task_pays_by_it(
    paid: Batch, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:

    grant(monkeypatch, "answer", Payable, pay=lambda self, payload, given: 40 if given is None else 5)
    answered(bob, paid)
    assert earnings(bob).pending == Decimal("0.05")
