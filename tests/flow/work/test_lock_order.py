"""Every verb locks rows in one order, so that no two of them can wait for each other in a circle.

The order is that of annotation/flow/work/next_assignment.py. It is read off the statements that a verb sends.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches import add_assignments
from annotation.flow.people import consent
from annotation.flow.review import problem_reports, review_decisions, review_samples
from annotation.flow.work import leases, next_assignment, prefetch, submissions
from annotation.models import Assignment, Hit, PrefetchedHit
from annotation.tasktype import SecondOpinion
from tests.capable import grant
from tests.conftest import answer_to
from tests.flow.compositions import change, compose, compose_batch

pytestmark = [
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks the whole database, not rows"),
    pytest.mark.postgresql(reason="rows are locked, and in one order"),
]

ORDER = ["assignment", "participation", "worker", "batch", "hit"]
LOCKS = re.compile(r'^(?:UPDATE "annotation_(\w+)"|SELECT .* FROM "annotation_(\w+)".* FOR (?:NO KEY )?UPDATE)', re.S)


def locks(verb: Callable[[], object]) -> list[list[str]]:
    """For each transaction of a verb: the tables in which it locks rows, in the order of their first locks."""
    with CaptureQueriesContext(connection) as captured:
        verb()
    transactions: list[list[str]] = [[]]
    depth = 0
    for query in captured:
        depth += query["sql"].startswith("SAVEPOINT") - query["sql"].startswith("RELEASE SAVEPOINT")
        if found := LOCKS.match(query["sql"]):
            transactions[-1].append(found[1] or found[2])
        if depth == 0:
            transactions.append([])
    return [list(dict.fromkeys(table for table in tables if table in ORDER)) for tables in transactions]


@pytest.fixture
def assignment(batch: Any, bob: Any) -> Assignment:
    claimed = next_assignment.claim(next_assignment.join_batch(bob, batch))
    assert claimed is not None
    return claimed


def submit(row: Assignment, **going_on: Any) -> None:
    submissions.submit(row, answer_to(row), key="0.a", base=0, active_seconds=1, **going_on)


def in_order(transactions: list[list[str]]) -> bool:
    assert any(transactions), "nothing was locked, so nothing was tried"
    return all(tables == sorted(tables, key=ORDER.index) for tables in transactions)


def test_the_verbs_of_one_assignment_lock_in_order(assignment: Assignment, batch: Any, carol: Any) -> None:
    other = next_assignment.join_batch(carol, batch)
    assert in_order(locks(lambda: next_assignment.claim(other)))
    assert in_order(locks(lambda: leases.return_assignment(assignment)))
    assert in_order(locks(lambda: next_assignment.take_up(assignment)))
    assignment.refresh_from_db()
    assert in_order(locks(lambda: problem_reports.report_problem(assignment, reason="unclear", text="")))
    assert in_order(locks(lambda: submit(assignment)))


def test_overdue_hits_are_freed_each_in_a_transaction_of_its_own(
    batch: Any, bob: Any, carol: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(prefetch, "_is_nearly_done", lambda batch: False)
    for worker in (bob, carol):
        seat = next_assignment.join_batch(worker, batch)
        next_assignment.claim(seat)
        assert prefetch.hold(seat)
    PrefetchedHit.objects.update(expires_at=Now() - timedelta(seconds=1))
    transactions = locks(prefetch.let_go_overdue)
    assert in_order(transactions)
    assert sum("hit" in tables for tables in transactions) == 2


def test_a_submission_that_claims_the_prefetched_hit_locks_in_order(assignment: Assignment, monkeypatch: Any) -> None:
    monkeypatch.setattr(prefetch, "_is_nearly_done", lambda batch: False)
    seat = next_assignment.join_batch(assignment.worker, assignment.batch)
    assert prefetch.hold(seat)
    taken = locks(lambda: submit(assignment, participation=seat, ahead=True))
    assert seat.claimed
    assert in_order(taken)
    assert ["assignment", "participation", "hit"] in taken


def test_a_claim_of_what_is_under_way_locks_in_order(assignment: Assignment, batch: Any, bob: Any) -> None:
    participation = next_assignment.join_batch(bob, batch)
    assert in_order(locks(lambda: next_assignment.claim(participation)))
    Assignment.objects.filter(pk=assignment.pk).update(lease_until=Now() - timedelta(hours=1))
    assert in_order(locks(lambda: next_assignment.claim(participation)))


def test_withdrawing_consent_locks_in_order(assignment: Assignment, bob: Any) -> None:
    consent.give(bob, version=1)
    assert in_order(locks(lambda: consent.withdraw(bob)))


def test_the_verbs_of_the_requester_lock_in_order(assignment: Assignment, batch: Any) -> None:
    hit = Hit.objects.get(pk=assignment.hit_id)
    assert in_order(locks(lambda: problem_reports.exclude(hit, reason="broken")))
    assert in_order(locks(lambda: problem_reports.restore(hit)))
    Hit.objects.filter(pk=hit.pk).update(wanted=1)
    submit(assignment)
    batch.refresh_from_db()
    assert in_order(locks(lambda: add_assignments.add_assignments(batch, base=batch.next_ticket)))


def test_an_answer_that_calls_for_a_second_opinion_locks_in_order(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant(monkeypatch, "answer", SecondOpinion, least=lambda self, payload, answer: 5)
    taken = locks(lambda: submit(assignment))
    assert in_order(taken)
    assert ["assignment", "participation", "batch", "hit"] in taken, "the queue was not asked for a place"
    grant(monkeypatch, "answer", SecondOpinion, least=lambda self, payload, answer: 6)
    assignment.refresh_from_db()
    changed = answer_to(assignment) | {"support": [0]}
    assert in_order(locks(lambda: submissions.submit(assignment, changed, key="1.a", base=1, active_seconds=1)))


def test_the_verbs_of_reading_lock_in_order(project: Any, dataset: Any, bob: Any, carol: Any) -> None:
    read = compose_batch(project, dataset)
    first, second = compose(bob, read), compose(carol, read)
    wish = review_decisions.Decision("returned", {}, reason="Repair it.")
    assert in_order(locks(lambda: review_samples.draw(read)))
    assert in_order(locks(lambda: review_decisions.decide(first, 1, wish, reviewer=None)))
    assert in_order(locks(lambda: change(first, "Which tower is it?")))
    assert in_order(locks(lambda: review_decisions.choose(second, 1, reviewer=None)))
    assert in_order(locks(lambda: review_decisions.undo(second, reviewer=None)))
