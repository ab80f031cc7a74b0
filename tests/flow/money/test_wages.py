"""What people earn an hour, and raising it to the floor."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from annotation.flow.errors import Refused
from annotation.flow.money import ledger, ledger_audit, wages
from annotation.flow.review import assignment_approval
from annotation.models import Batch, Payment
from tests.flow.acting import newcomer, take
from tests.flow.paying import paid_batch, worked

pytestmark = pytest.mark.postgresql(reason="durations are summed by the database")

D = Decimal


@pytest.fixture
def paid(project: Any, dataset: Any) -> Batch:
    return paid_batch(project, dataset, assignments_per_hit=3)


def hourly(batch: Batch) -> dict[int, Decimal]:
    return {wage.worker: wage.an_hour for wage in wages.of_batch(batch)}


def test_a_wage_is_what_was_earned_by_the_hours_that_were_active(paid: Batch, bob: Any, carol: Any) -> None:
    worked(bob, paid, seconds=60)
    worked(bob, paid, seconds=120, approved=True)
    worked(carol, paid, seconds=90)
    assert hourly(paid) == {bob.pk: D("10.00"), carol.pk: D("10.00")}


def test_time_without_pay_counts_rejected_or_returned(paid: Batch, bob: Any) -> None:
    from annotation.flow.work import leases
    from annotation.models import Assignment

    worked(bob, paid, seconds=60, approved=True)
    assignment_approval.reject(worked(bob, paid, seconds=60), text="Not read.")
    returned = take(bob, paid)
    Assignment.objects.filter(pk=returned.pk).update(active_seconds=60)
    leases.return_assignment(returned)
    assert hourly(paid) == {bob.pk: D("5.00")}


def test_bonuses_count_and_what_was_not_measured_does_not(paid: Batch, bob: Any, carol: Any) -> None:
    row = worked(bob, paid, seconds=180, approved=True)
    assignment_approval.add_payment(row, "bonus", D("0.25"), key="b")
    worked(bob, paid, seconds=0, approved=True)
    worked(carol, paid, seconds=0)
    assert hourly(paid) == {bob.pk: D("10.00")}


def test_an_unpaid_batch_has_no_wage(batch: Batch, bob: Any) -> None:
    worked(bob, batch, seconds=60)
    assert wages.of_batch(batch) == wages.of_project(batch.project) == []
    assert wages.summary([]) == wages.Wages(None, None, 0)


def test_each_worker_weighs_the_same(paid: Batch) -> None:
    for k, seconds in enumerate([30, 60, 90]):
        worker = newcomer(paid.project, f"n{k}")
        for _ in range(1 + k):
            worked(worker, paid, seconds=seconds)
    found = wages.summary(wages.of_project(paid.project))
    assert (found.median, found.tenth, found.workers) == (D("15.00"), D("10.00"), 3)


def test_the_tenth_percentile_is_what_one_in_ten_earns_at_most() -> None:
    some = [wages.Wage(k, D(3600), D(k), 1) for k in range(1, 21)]
    assert wages.summary(some) == wages.Wages(D("10.50"), D("2.00"), 20)


@pytest.fixture
def low(paid: Batch, bob: Any, carol: Any) -> Batch:
    """Bob earned $5 an hour and Carol $20; the floor is $15."""
    paid.project.wage_floor = D(15)
    paid.project.save()
    worked(bob, paid, seconds=180, approved=True)
    worked(carol, paid, seconds=45, approved=True)
    return paid


def test_who_earned_less_than_the_floor_is_paid_the_difference_once(low: Batch, bob: Any) -> None:
    due = wages.raises(low)
    assert [(each.worker, each.amount) for each in due] == [(bob, D("0.50"))]
    shown = wages.confirmation_digest(due)
    assert wages.top_up(low, shown=shown) == 1
    assert hourly(low)[bob.pk] == D("15.00")
    assert wages.raises(low) == []
    with pytest.raises(Refused, match="changed in the meantime"):
        wages.top_up(low, shown=shown)
    assert Payment.objects.filter(kind="top_up").count() == 1
    assert wages.earnings(bob).top_ups == D("0.50")
    assert ledger_audit.audit(low.project) == []


def test_more_work_below_the_floor_is_topped_up_again(low: Batch, bob: Any) -> None:
    wages.top_up(low, shown=wages.confirmation_digest(wages.raises(low)))
    worked(bob, low, seconds=180, approved=True)
    assert wages.top_up(low, shown=wages.confirmation_digest(wages.raises(low))) == 1
    assert hourly(low)[bob.pk] == D("15.00")


def test_a_top_up_that_the_budget_lacks_pays_nobody(low: Batch, bob: Any) -> None:
    shown = wages.confirmation_digest(wages.raises(low))
    ledger.deposit(low.project, -ledger.balance(low.project, ledger.AVAILABLE), key="out")
    with pytest.raises(ledger.Overdrawn):
        wages.top_up(low, shown=shown)
    assert not Payment.objects.filter(kind="top_up").exists()


def test_who_has_nothing_approved_waits(paid: Batch, bob: Any) -> None:
    paid.project.wage_floor = D(15)
    paid.project.save()
    worked(bob, paid, seconds=600)
    assert wages.raises(paid) == []
