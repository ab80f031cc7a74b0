"""Calls at the same instant, on a database that locks rows: each effect once, and nobody waits for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.db import connection, connections

from annotation.flow import assigning, ledger
from annotation.models import Account, Assignment, Listing, Payment
from tests.mturk_api.acts import HIT, TERMS, accept, submit, worker
from tests.mturk_api.wire import mturk, requester

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite in memory has one connection: nothing is at once"),
]


def at_once(*calls: Any) -> list[Any]:
    """What each call returned, or the refusal that it raised."""

    def one(call: Any) -> Any:
        try:
            return call()
        except ClientError as refused:
            return refused
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


def test_one_token_makes_one_hit_and_the_same_terms_one_type() -> None:
    client = mturk(requester())
    told = at_once(*[lambda: client.create_hit(**HIT, UniqueRequestToken="one")] * 4)
    made = [answer["HIT"]["HITId"] for answer in told if isinstance(answer, dict)]
    assert len(made) == 1
    assert all(f'"{made[0]}" already exists' in str(answer) for answer in told if not isinstance(answer, dict))
    kinds = at_once(*[lambda: client.create_hit_type(**TERMS | {"Title": "New"})["HITTypeId"]] * 4)
    assert len(set(kinds)) == 1


def test_money_is_spent_once_whoever_comes_first() -> None:
    key = requester(balance="1.00")
    client = mturk(key)
    told = at_once(*[lambda: client.create_hit(**HIT, MaxAssignments=3)] * 4)
    assert sum(isinstance(answer, dict) for answer in told) == 1
    assert Listing.objects.count() == 1
    assert ledger.balance(key.project, ledger.AVAILABLE) == Decimal("0.25")


def test_decisions_returns_and_the_end_of_a_hit_meet_without_a_deadlock() -> None:
    key = requester()
    client = mturk(key)
    hit_id = client.create_hit(**HIT, MaxAssignments=8)["HIT"]["HITId"]
    rows = [accept(worker(key.project, f"worker-{k}"), hit_id) for k in range(6)]
    sent, going = [submit(row, word="well") for row in rows[:4]], rows[4:]
    told = at_once(
        lambda: client.approve_assignment(AssignmentId=sent[0].public_id),
        lambda: client.approve_assignment(AssignmentId=sent[0].public_id),
        lambda: client.reject_assignment(AssignmentId=sent[1].public_id, RequesterFeedback=""),
        lambda: client.approve_assignment(AssignmentId=sent[2].public_id),
        lambda: client.update_expiration_for_hit(HITId=hit_id, ExpireAt=0),
        lambda: assigning.give_back(going[0]),
        lambda: client.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1),
    )
    refused = [answer for answer in told if isinstance(answer, ClientError)]
    assert len(refused) == 1
    assert "status of: Submitted" in str(refused[0])
    assert Payment.objects.count() == Assignment.objects.filter(approval="approved").count() == 2
    listing = Listing.objects.get()
    assert listing.held == 2 * Decimal("0.25")  # one undecided, one at work
    assert Account.objects.get(name=ledger.held_for(listing.hit.batch)).balance == listing.held
    assert sum(Account.objects.values_list("balance", flat=True)) == 0
