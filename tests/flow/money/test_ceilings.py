"""The budget is a ceiling that nothing crosses, however many launch, take, top up, reward and approve at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connection, connections
from django.db.models import Sum

from annotation.flow.batches import add_assignments, batch_launch
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger, ledger_audit, payouts
from annotation.flow.review import approval_queue
from annotation.flow.work import next_assignment
from annotation.models import Account, Assignment, Batch, Payment, Project
from tests.flow.acting import dataset_of, draft, launched, newcomer, participation_of, submit
from tests.flow.paying import paid_batch, worked

D, WEEK = Decimal, 7 * 24 * 3600
pytestmark = [
    pytest.mark.postgresql(reason="sums of rows that others write meanwhile"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks the whole database, not rows"),
]


def at_once(acts: list[Callable[[], Any]]) -> tuple[int, list[Exception]]:
    """Do all of it at the same time; how many were refused, and what else went wrong."""
    refused: list[Refused] = []
    broken: list[Exception] = []
    ready = threading.Barrier(len(acts))

    def run(act: Callable[[], Any]) -> None:
        try:
            ready.wait()
            act()
        except Refused as error:
            refused.append(error)
        except Exception as error:
            broken.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(refused), broken


def fresh(row: Assignment) -> Assignment:
    return Assignment.objects.select_related("batch__project", "hit").get(pk=row.pk)


def paid_of(worker: Any, batch: Batch) -> Assignment:
    row = next_assignment.claim(participation_of(worker, batch))
    assert row is not None
    submit(row, key=f"0.{row.pk}")
    return row


def test_launches_at_once_stay_below_it(tmp_path: Path) -> None:
    project = Project.objects.create(slug="wells", title="Wells")
    ledger.deposit(project, D("3.50"), key="budget")
    pool = dataset_of(project, tmp_path, name="pool", size=4)
    terms = {"reward": D("0.25"), "auto_approval": WEEK, "assignments_per_hit": 1}
    drafts = [draft(project, f"b{number}", pool, **terms) for number in range(6)]
    assert at_once([lambda each=each: batch_launch.launch(each) for each in drafts]) == (3, [])
    states = sorted(Batch.objects.values_list("state", flat=True))
    assert states == ["draft"] * 3 + ["open"] * 3
    assert ledger_audit.audit(project) == []
    assert ledger.balance(project, ledger.AVAILABLE) == D("0.50")


def test_everything_at_once_pays_each_once_and_never_more_than_there_is(tmp_path: Path) -> None:
    project = Project.objects.create(slug="wells", title="Wells", fees="mturk")
    ledger.deposit(project, D("6"), key="budget")
    pool = dataset_of(project, tmp_path, name="pool", size=8)
    batch = launched(project, "paid", pool, reward=D("0.25"), auto_approval=WEEK, assignments_per_hit=1)
    more = draft(project, "more", pool, reward=D("0.40"), auto_approval=WEEK, assignments_per_hit=1)
    bob, carol = newcomer(project, "bob"), newcomer(project, "carol")
    rows = [paid_of(who, batch) for who in (bob, carol, bob, carol, bob)]
    acts: list[Callable[[], Any]] = [lambda: batch_launch.launch(more)]
    acts += [lambda: add_assignments.add_assignments(batch, base=Batch.objects.get(pk=batch.pk).next_ticket)] * 2
    acts += [
        lambda row=row: approval_queue.decide(fresh(row), "approve", text="", user=None)
        for row in rows
        for _twice in "12"
    ]
    for row in rows:
        acts += [lambda row=row: approval_queue.bonus(fresh(row), D("0.90"), reason="Well.", form="f", user=None)] * 2
    acts += [lambda who=who: next_assignment.claim(participation_of(who, batch)) for who in (bob, carol)]
    Random(4).shuffle(acts)
    refused, broken = at_once(acts)
    assert (refused < len(acts), broken) == (True, [])
    assert ledger_audit.audit(project) == []
    assert not Account.objects.filter(balance__lt=0).exclude(name="outside").exists()
    kinds = Payment.objects.values_list("assignment", "kind")
    assert len(kinds) == len(set(kinds))
    assert Payment.objects.filter(kind="reward").count() == 5
    books = ledger_audit.books(project)
    spent = Payment.objects.aggregate(sum=Sum("amount") + Sum("fee"))["sum"]
    assert books.owed + books.fees == spent
    assert books.available + books.held + spent == 6
    for each in Batch.objects.all():
        assert batch_funds.held(each) >= batch_funds.needed(each)


def test_money_put_in_while_a_payout_is_read_back_keeps_nobody_waiting(tmp_path: Path) -> None:
    project = Project.objects.create(slug="wells", title="Wells")
    for name in ("outside", "available"):
        Account.objects.create(project=project, name=name)
    batch = paid_batch(project, dataset_of(project, tmp_path, name="pool", size=6))
    people = [newcomer(project, f"n{number}") for number in range(6)]
    for who in people:
        worked(who, batch, approved=True)
    lines = list(payouts.make_payout(project).lines.all())
    acts: list[Callable[[], Any]] = [partial(payouts.decide, line, "paid") for line in lines]
    acts += [partial(ledger.deposit, project, D(1), key=f"more-{number}") for number in range(12)]
    Random(2).shuffle(acts)
    refused, broken = at_once(acts)
    assert (refused < len(acts), broken) == (True, [])
    assert ledger_audit.audit(project) == []
    assert ledger_audit.books(project).paid_out == 6 * D("0.25")
