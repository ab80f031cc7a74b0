"""Rounds that pay: each item is set aside when it is given out, paid once when it is approved, and never overdrawn."""

from __future__ import annotations

import threading
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.db.models import F

from annotation.flow.batches import batch_launch, estimates
from annotation.flow.money import batch_funds, ledger, ledger_audit
from annotation.flow.review import assignment_approval
from annotation.flow.work import leases, next_assignment
from annotation.models import Assignment, Attempt, Payment, Project, QualificationRound, Worker
from tests.flow.acting import dataset_of, newcomer, participation_of, submit, take
from tests.flow.people.test_qualification_rounds import made, work_through

pytestmark = pytest.mark.postgresql(reason="commits, and accounts are locked")

D, WEEK = Decimal, 7 * 24 * 3600


def paid(project: Project, pool: Any, *, budget: str = "10", **settings: Any) -> QualificationRound:
    """A launched round that pays 25 cents an item, three items a worker."""
    ledger.deposit(project, D(budget), key="budget")
    return made(project, pool, reward=D("0.25"), auto_approval=WEEK, **settings)


@pytest.fixture
def pool(project: Any, tmp_path: Path) -> Any:
    return dataset_of(project, tmp_path, name="pool", size=12)


def stand(project: Project) -> tuple[Decimal, Decimal, Decimal]:
    """(budget left, set aside, owed to workers)."""
    books = ledger_audit.books(project)
    assert ledger_audit.audit(project) == []
    return books.available, books.held, books.owed


@pytest.mark.django_db
def test_an_item_is_set_aside_when_it_is_given_out_and_paid_once(project: Any, pool: Any, bob: Worker) -> None:
    found = paid(project, pool)
    assert stand(project) == (D(10), 0, 0)
    assert take(bob, found.batch) is not None
    assert stand(project) == (D("9.75"), D("0.25"), 0)
    assert work_through(bob, found) == 3
    assert stand(project) == (D("9.25"), D("0.75"), 0)
    rows = list(Assignment.objects.filter(batch=found.batch).order_by("pk"))
    assert [assignment_approval.approve(row) for row in rows + rows] == [True, True, True, False, False, False]
    assert stand(project) == (D("9.25"), 0, D("0.75"))
    assert Payment.objects.count() == 3


@pytest.mark.django_db
def test_nobody_decides_and_time_does_once(project: Any, pool: Any, bob: Worker) -> None:
    found = paid(project, pool)
    work_through(bob, found)
    assert assignment_approval.approve_due() == 0
    week = timedelta(seconds=WEEK)
    Assignment.objects.update(auto_approve_at=F("auto_approve_at") - week, submitted_at=F("submitted_at") - week)
    assert (assignment_approval.approve_due(), assignment_approval.approve_due()) == (3, 0)
    assert stand(project) == (D("9.25"), 0, D("0.75"))


@pytest.mark.django_db
def test_pay_does_not_hang_on_passing_and_a_rejection_costs_nothing(project: Any, pool: Any, bob: Worker) -> None:
    found = paid(project, pool)
    work_through(bob, found, right=0.0)
    assert Attempt.objects.get().passed is False
    first, second, third = Assignment.objects.order_by("pk")
    assignment_approval.reject(first, text="Empty.")
    assignment_approval.approve(second)
    assignment_approval.approve(third)
    assert stand(project) == (D("9.50"), 0, D("0.50"))


@pytest.mark.django_db
def test_nothing_is_given_out_that_the_budget_does_not_cover(
    project: Any, pool: Any, bob: Worker, carol: Worker
) -> None:
    found = paid(project, pool, budget="0.80")
    assert work_through(bob, found) == 3
    assert take(carol, found.batch) is None
    assert stand(project) == (D("0.05"), D("0.75"), 0)
    ledger.deposit(project, D("0.20"), key="more")
    assert take(carol, found.batch) is not None
    assert stand(project) == (0, D(1), 0)


@pytest.mark.django_db
def test_what_is_given_back_can_pay_somebody_else(project: Any, pool: Any, bob: Worker, carol: Worker) -> None:
    found = paid(project, pool, budget="0.25")
    row = take(bob, found.batch)
    assert row is not None
    assert take(carol, found.batch) is None
    leases.return_assignment(row)
    assert take(carol, found.batch) is not None
    assert not next_assignment.take_up(row)
    assert stand(project) == (0, D("0.25"), 0)


@pytest.mark.django_db
def test_what_is_taken_up_again_is_set_aside_again(project: Any, pool: Any, bob: Worker, carol: Worker) -> None:
    found = paid(project, pool, budget="0.50")
    row = take(bob, found.batch)
    assert row is not None
    leases.return_assignment(row)
    assert take(carol, found.batch) is not None
    assert next_assignment.take_up(row)
    assert stand(project) == (0, D("0.50"), 0)


@pytest.mark.django_db
def test_what_the_budget_does_not_cover_any_more_is_not_taken_up_again(
    project: Any, pool: Any, bob: Worker, carol: Worker
) -> None:
    found = paid(project, pool, budget="0.25")
    row = take(bob, found.batch)
    assert row is not None
    leases.return_assignment(row)
    assert take(carol, found.batch) is not None
    assert not next_assignment.take_up(row)
    assert stand(project) == (0, D("0.25"), 0)


@pytest.mark.django_db
def test_closing_gives_back_what_nobody_can_earn(project: Any, pool: Any, bob: Worker) -> None:
    found = paid(project, pool)
    submit(take(bob, found.batch))  # type: ignore[arg-type]
    row = take(bob, found.batch)
    assert row is not None
    leases.return_assignment(row)
    batch_launch.close(found.batch)
    assert stand(project) == (D("9.75"), D("0.25"), 0)


@pytest.mark.django_db
def test_many_workers_on_one_item_cost_what_the_quote_says(project: Any, tmp_path: Path) -> None:
    project.fees = "mturk"
    project.save(update_fields=["fees"])
    found = paid(project, dataset_of(project, tmp_path, name="few", size=1), per_worker=1)
    quoted = estimates.estimate(found.batch).quote.total
    people = [newcomer(project, f"n{number}") for number in range(11)]
    assert [work_through(worker, found) for worker in people] == [1] * 11
    assert stand(project)[1] == 11 * quoted
    for row in Assignment.objects.all():
        assignment_approval.approve(row)
    books = ledger_audit.books(project)
    assert (books.owed + books.fees, books.held) == (11 * quoted, 0)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks the whole database, not rows")
@pytest.mark.django_db(transaction=True)
def test_many_who_come_at_once_do_not_cross_the_budget(tmp_path: Path) -> None:
    project = Project.objects.create(slug="wells", title="Wells")
    found = paid(project, dataset_of(project, tmp_path, name="pool", size=12), budget="1")
    participations = [participation_of(newcomer(project, f"n{number}"), found.batch) for number in range(8)]
    broken: list[Exception] = []

    def come(participation: Any) -> None:
        try:
            next_assignment.claim(participation)
        except Exception as error:
            broken.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=come, args=[participation]) for participation in participations]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert broken == []
    assert Assignment.objects.count() == 4
    assert stand(project) == (0, D(1), 0)
    assert batch_funds.needed(found.batch) == 1
