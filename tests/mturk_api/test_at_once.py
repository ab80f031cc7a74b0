"""Calls at the same instant, on a database that locks rows: each effect once, and nobody waits for ever."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from random import Random
from threading import Event
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.db import connection, connections, transaction

from annotation.flow.errors import Refused
from annotation.flow.money import ledger, ledger_audit
from annotation.flow.review import review_decisions
from annotation.flow.work import leases
from annotation.models import Account, Assignment, Batch, Payment
from annotation.mturk_api.flow import hit_changes, hit_creation
from annotation.mturk_api.models import Listing
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.worker_acts import HIT, TERMS, accept, later, submit, work, worker
from tests.waiting import until

pytestmark = [
    pytest.mark.postgresql(reason="many list and accept at once"),
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
    result = at_once(*[lambda: client.create_hit(**HIT, UniqueRequestToken="one")] * 4)
    made = [answer["HIT"]["HITId"] for answer in result if isinstance(answer, dict)]
    assert len(made) == 1
    assert all(f'"{made[0]}" already exists' in str(answer) for answer in result if not isinstance(answer, dict))
    kinds = at_once(*[lambda: client.create_hit_type(**TERMS | {"Title": "New"})["HITTypeId"]] * 4)
    assert len(set(kinds)) == 1


def test_money_is_spent_once_whoever_comes_first() -> None:
    key = requester(balance="1.00")
    client = mturk(key)
    result = at_once(*[lambda: client.create_hit(**HIT, MaxAssignments=3)] * 4)
    assert sum(isinstance(answer, dict) for answer in result) == 1
    assert Listing.objects.count() == 1
    assert ledger.balance(key.project, ledger.AVAILABLE) == Decimal("0.25")


def test_eight_clients_create_hits_of_one_type_without_a_fault() -> None:
    key = requester(balance="100.00")
    clients = [mturk(key) for _number in range(8)]
    acts = [[partial(client.create_hit, **HIT, MaxAssignments=2)] * 12 for client in clients]
    assert at_once(*[partial(done_politely, lane) for lane in acts]) == [[]] * 8
    batch = Batch.objects.get()
    assert (batch.size, batch.hits.count(), batch.datasets.get().items.count()) == (96, 96, 96)
    assert sorted(batch.hits.values_list("ticket", flat=True)) == list(range(96))
    assert ledger.balance(key.project, ledger.AVAILABLE) == Decimal("52.00")
    assert ledger.balance(key.project, ledger.held_for(batch)) == Decimal("48.00")
    assert ledger_audit.audit(key.project) == []


def test_transfers_there_and_back_neither_lose_money_nor_wait_for_each_other() -> None:
    project = requester(balance="10.00").project
    ledger.move(project, ledger.AVAILABLE, "held/1", Decimal("5.00"), kind="hold", key="set aside")
    ways = [("hold", ledger.AVAILABLE, "held/1"), ("release", "held/1", ledger.AVAILABLE)] * 4
    refused: list[ledger.Overdrawn] = []

    def lane(place: int, kind: str, source: str, target: str) -> int:
        moved = 0
        for k in range(40):
            try:
                moved += bool(ledger.move(project, source, target, Decimal("0.50"), kind=kind, key=f"{place}/{k}"))
            except ledger.Overdrawn as short:
                refused.append(short)
        return moved

    moved = at_once(*[partial(lane, place, *way) for place, way in enumerate(ways)])
    assert sum(moved) + len(refused) == 320
    assert all(short.lacking > 0 for short in refused)
    more = sum(moved[::2]) - sum(moved[1::2])
    assert ledger.balance(project, "held/1") == Decimal("5.00") + more * Decimal("0.50")
    assert ledger_audit.audit(project) == []


def test_decisions_returns_and_the_end_of_a_hit_meet_without_a_deadlock() -> None:
    key = requester()
    client = mturk(key)
    hit_id = client.create_hit(**HIT, MaxAssignments=8)["HIT"]["HITId"]
    rows = [accept(worker(key.project, f"worker-{k}"), hit_id) for k in range(6)]
    sent, going = [submit(row, word="well") for row in rows[:4]], rows[4:]
    result = at_once(
        lambda: client.approve_assignment(AssignmentId=sent[0].public_id),
        lambda: client.approve_assignment(AssignmentId=sent[0].public_id),
        lambda: client.reject_assignment(AssignmentId=sent[1].public_id, RequesterFeedback=""),
        lambda: client.approve_assignment(AssignmentId=sent[2].public_id),
        lambda: client.update_expiration_for_hit(HITId=hit_id, ExpireAt=0),
        lambda: leases.return_assignment(going[0]),
        lambda: client.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1),
    )
    refused = [answer for answer in result if isinstance(answer, ClientError)]
    assert len(refused) == 1
    assert "status of: Submitted" in str(refused[0])
    assert Payment.objects.count() == Assignment.objects.filter(approval="approved").count() == 2
    listing = Listing.objects.get()
    assert listing.held == 2 * Decimal("0.25")  # one undecided, one at work
    assert Account.objects.get(name=ledger.held_for(listing.hit.batch)).balance == listing.held
    assert sum(Account.objects.values_list("balance", flat=True)) == 0


def acts_on(client: Any, rows: list[Assignment], hit_ids: list[str], newcomers: list[Any]) -> list[Any]:
    """Everything that a script, workers and the console may do to these HITs, in a mixed order."""
    other = client.create_hit_type(**TERMS | {"Reward": "0.10"})["HITTypeId"]
    acts: list[Any] = []
    for row in rows:
        name = {"AssignmentId": row.public_id}
        bonus = name | {"WorkerId": row.worker.public_id, "BonusAmount": "0.50", "Reason": "Thanks."}
        acts += [partial(client.approve_assignment, **name), partial(client.send_bonus, **bonus)] * 2
        acts += [partial(client.reject_assignment, **name, RequesterFeedback="")]
        acts += [partial(client.approve_assignment, **name, OverrideRejection=True)]
    for hit_id in hit_ids:
        hit = {"HITId": hit_id}
        acts += [partial(client.create_additional_assignments_for_hit, **hit, NumberOfAdditionalAssignments=1)]
        acts += [partial(client.update_expiration_for_hit, **hit, ExpireAt=at) for at in (0, later(9000))]
        acts += [partial(client.update_hit_type_of_hit, **hit, HITTypeId=other), partial(client.delete_hit, **hit)]
        acts += [partial(accept, worker, hit_id) for worker in newcomers]
    Random(7).shuffle(acts)
    return acts


def done_politely(acts: list[Any]) -> list[str]:
    """What none of the acts may come to: neither done nor refused."""
    bad = []
    for act in acts:
        try:
            act()
        except Refused:
            continue
        except ClientError as refused:
            if refused.response["ResponseMetadata"]["HTTPStatusCode"] != 400:
                bad.append(str(refused))
    return bad


def test_everything_at_once_is_done_or_refused_and_the_books_stay_whole() -> None:
    key = requester(balance="30")
    client = mturk(key)
    hit_ids = [client.create_hit(**HIT, MaxAssignments=4)["HIT"]["HITId"] for _number in range(3)]
    people = [worker(key.project, f"worker-{k}") for k in range(5)]
    rows = [accept(who, hit_id) for hit_id in hit_ids for who in people[:3]]
    sent, going = [submit(row, word="well") for row in rows[::2]], rows[1::2]
    acts = acts_on(client, sent, hit_ids, people[3:])
    acts += [partial(submit, row, word="well") for row in going] + [
        partial(leases.return_assignment, row) for row in going
    ]
    lanes = [acts[k::8] for k in range(8)]
    assert at_once(*[partial(done_politely, lane) for lane in lanes]) == [[]] * 8
    assert ledger_audit.audit(key.project) == []
    rewards = Payment.objects.filter(kind="reward").values_list("assignment", flat=True)
    assert len(rewards) == len(set(rewards)) == Assignment.objects.filter(approval="approved").count()


def somebody_waits() -> bool:
    """Whether another connection waits for a lock of this one's."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )
        return bool(cursor.fetchone()[0])


def test_a_decision_that_waited_for_another_type_of_its_hit_is_made() -> None:
    key = requester()
    row = work(worker(key.project, "bob"), mturk(key).create_hit(**HIT)["HIT"]["HITId"])
    other = hit_creation.hit_type_of(key.project, hit_creation.Terms("Other", "Look.", Decimal("0.25"), 600))
    moved = Event()

    def move() -> bool:
        with transaction.atomic():
            hit_changes.change_type(Listing.objects.select_related("hit__batch").get(), other)
            moved.set()
            return bool(until(somebody_waits))

    def decide() -> str:
        moved.wait(10)
        wanted = review_decisions.Decision("discarded", {}, reason="It is about another picture.")
        return review_decisions.decide(row, row.revision, wanted, reviewer=None).decision

    assert at_once(move, decide) == [True, "discarded"]
    row.refresh_from_db()
    assert row.batch_id == other.batch_id
