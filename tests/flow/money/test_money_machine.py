"""A random history of work, decisions and moves of money: the ledger always balances, what is needed is always held,
and nobody is paid twice.
"""

from __future__ import annotations

import contextlib
import threading
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.db.models import Count, Sum
from django.db.models.functions import Now
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from annotation.flow.batches import add_assignments as more
from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger, ledger_audit, payouts
from annotation.flow.review import assignment_approval, problem_reports
from annotation.flow.work import leases, next_assignment
from annotation.models import Account, Assignment, Dataset, Entry, Item, Payment, PayoutLine, Project, Worker
from annotation.pure.batches import lifecycle
from tests.flow.acting import dataset_of, newcomer, submit
from tests.flow.paying import paid_batch, worked

pytestmark = pytest.mark.postgresql(reason="accounts are locked, and many pay at once")

ANSWER = {"kind": "typed", "text": "Ay", "support": []}
any_of = st.integers(0, 10_000)
REWARD = Decimal("0.25")


class Money(RuleBasedStateMachine):
    """Two workers on three paid HITs with MTurk's fees; every verb that moves money, in any order."""

    @initialize(budget=st.sampled_from(["1.80", "2.40", "20"]))
    def open_a_batch(self, budget: str) -> None:
        self.point = transaction.atomic()
        self.point.__enter__()
        self.project = Project.objects.create(slug="machine", title="Machine", fees="mturk")
        dataset = Dataset.objects.create(project=self.project, slug="items", state="ready", format="jsonl", sha256="")
        for place in range(3):
            content = {"id": str(place), "question": "Which?", "paragraphs": [{"title": "A", "text": "Ay"}]}
            row = {"position": place, "source_id": str(place), "group_key": str(place), "question": "Which?"}
            Item.objects.create(dataset=dataset, content=content, **row)
        self.batch = paid_batch(self.project, dataset, budget=budget, assignments_per_hit=2)
        people = [Worker.objects.create(project=self.project, external_id=str(k), consented_version=1) for k in "ab"]
        self.participations = [next_assignment.join_batch(worker, self.batch) for worker in people]
        self.count, self.uncovered = 0, False

    def teardown(self) -> None:
        if hasattr(self, "point"):
            transaction.set_rollback(True)
            self.point.__exit__(None, None, None)

    def key(self) -> str:
        self.count += 1
        return f"k{self.count}"

    def one(self, number: int, **wanted: Any) -> Assignment | None:
        rows = list(Assignment.objects.filter(**wanted).select_related("hit").order_by("pk"))
        return rows[number % len(rows)] if rows else None

    def tries(self, verb: Any) -> None:
        """The verb; a refusal leaves no trace."""
        before = (Entry.objects.count(), Payment.objects.count(), list(Account.objects.values_list("balance")))
        try:
            verb()
        except Refused:
            assert before == (
                Entry.objects.count(),
                Payment.objects.count(),
                list(Account.objects.values_list("balance")),
            )

    @rule(worker=st.integers(0, 1))
    def take(self, worker: int) -> None:
        self.batch.refresh_from_db()
        next_assignment.claim(self.participations[worker])

    @rule(number=any_of)
    def send(self, number: int) -> None:
        row = self.one(number, state=lifecycle.ACCEPTED)
        if row:
            submit(row, ANSWER)

    @rule(number=any_of)
    def run_out_of_time(self, number: int) -> None:
        row = self.one(number, state=lifecycle.ACCEPTED)
        if row:
            Assignment.objects.filter(pk=row.pk).update(lease_until=Now() - timedelta(hours=1))
            leases.expire_due()

    @rule(number=any_of)
    def send_late(self, number: int) -> None:
        row = self.one(number, state=lifecycle.EXPIRED)
        if row:
            submit(row, ANSWER)
            covered = Entry.objects.filter(key=f"late/{row.pk}").exists()
            row.refresh_from_db()
            self.batch.refresh_from_db()
            self.uncovered |= not covered and (not row.counts or self.batch.state == "closed")

    @rule(number=any_of, override=st.booleans())
    def approve(self, number: int, override: bool) -> None:
        row = self.one(number, state=lifecycle.SUBMITTED)
        if row:
            self.tries(lambda: assignment_approval.approve(row, override=override))

    @rule(number=any_of)
    def reject(self, number: int) -> None:
        row = self.one(number, state=lifecycle.SUBMITTED)
        if row:
            self.tries(lambda: assignment_approval.reject(row, text="Not read."))

    @rule(number=any_of, cents=st.integers(1, 60))
    def give_a_bonus(self, number: int, cents: int) -> None:
        row = self.one(number, approval="approved")
        if row:
            key = self.key()
            for _again in range(2):
                self.tries(lambda: assignment_approval.add_payment(row, "bonus", Decimal(cents) / 100, key=key))

    @rule(way=st.sampled_from([batch_launch.pause, batch_launch.resume, batch_launch.close]))
    def move(self, way: Any) -> None:
        self.batch.refresh_from_db()
        self.tries(lambda: way(self.batch))

    @rule(
        number=any_of,
        way=st.sampled_from([lambda hit: problem_reports.exclude(hit, reason="x"), problem_reports.restore]),
    )
    def leave_out(self, number: int, way: Any) -> None:
        hits = list(self.batch.hits.order_by("pk"))
        self.tries(lambda: way(hits[number % len(hits)]))

    @rule()
    def top_up(self) -> None:
        self.batch.refresh_from_db()
        with contextlib.suppress(ledger.Overdrawn):  # what is held in vain may have been given back all the same
            more.add_assignments(self.batch, base=self.batch.next_ticket)

    @rule(cents=st.integers(-100, 100).filter(bool))
    def move_money(self, cents: int) -> None:
        self.tries(lambda: ledger.deposit(self.project, Decimal(cents) / 100, key=self.key()))

    @rule()
    def pay_out(self) -> None:
        self.tries(lambda: payouts.make_payout(self.project))

    @rule(number=any_of, to=st.sampled_from(["paid", "failed"]))
    def settle(self, number: int, to: str) -> None:
        lines = list(PayoutLine.objects.select_related("payout__project", "worker").order_by("pk"))
        if lines:
            self.tries(lambda: payouts.decide(lines[number % len(lines)], to))

    @rule()
    def sweep(self) -> None:
        batch_funds.adjust_closed_holds()
        assignment_approval.approve_due()

    @invariant()
    def the_ledger_balances(self) -> None:
        if hasattr(self, "batch"):
            assert ledger_audit.audit(self.project) == []

    @invariant()
    def what_is_needed_is_held(self) -> None:
        if hasattr(self, "batch") and not self.uncovered:
            self.batch.refresh_from_db()
            assert batch_funds.held(self.batch) >= batch_funds.needed(self.batch)

    @invariant()
    def nobody_is_paid_twice(self) -> None:
        if not hasattr(self, "batch"):
            return
        rewards = Payment.objects.filter(kind="reward")
        assert not rewards.values("assignment").annotate(n=Count("pk")).filter(n__gt=1)
        approved = Assignment.objects.filter(approval="approved").count()
        assert rewards.aggregate(sum=Sum("amount", default=Decimal(0)))["sum"] == approved * REWARD
        got = Payment.objects.aggregate(sum=Sum("amount", default=Decimal(0)))["sum"]
        books = ledger_audit.books(self.project)
        assert got == books.owed + books.on_its_way + books.paid_out


CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
PHASES = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]


def play(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Money,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=CHECKS, phases=PHASES
        ),
    )


@pytest.mark.django_db
def test_the_ledger_holds_in_any_history() -> None:
    play(6, 25)


@pytest.mark.soak
@pytest.mark.django_db
def test_the_ledger_holds_in_many_histories() -> None:
    play(300, 50)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks the whole database, not rows")
@pytest.mark.django_db(transaction=True)
def test_many_who_approve_and_pay_at_once_pay_once(tmp_path: Path) -> None:
    project = Project.objects.create(slug="wells", title="Wells", fees="mturk")
    batch = paid_batch(project, dataset_of(project, tmp_path, name="wells", size=6), budget="20")
    rows = [worked(newcomer(project, f"n{k}"), batch) for k in range(6)]
    done: list[bool] = []
    broken: list[Exception] = []

    def decide(order: list[Assignment]) -> None:
        try:
            for row in order:
                done.append(assignment_approval.approve(row))
                assignment_approval.add_payment(row, "bonus", Decimal("0.10"), key=f"b-{row.pk}")
            with contextlib.suppress(Refused):  # another payout may have taken everything
                payouts.make_payout(project)
        except Exception as error:
            broken.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=decide, args=[rows[k:] + rows[:k]]) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert broken == []
    assert sum(done) == 6
    assert Payment.objects.count() == 12
    assert ledger_audit.audit(project) == []
    books = ledger_audit.books(project)
    assert books.owed + books.on_its_way == 6 * Decimal("0.35")
    assert books.available == 20 - 6 * Decimal("0.42")
