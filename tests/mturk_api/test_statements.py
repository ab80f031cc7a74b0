"""What a call costs the database: how many statements, which locks and how late, and by which index a list goes."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from botocore.config import Config
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Dataset, Hit, Item
from annotation.mturk_api.flow import hit_creation
from annotation.mturk_api.models import Listing
from tests.mturk_api.boto_clients import INSIDE, SESSION, Inside, mturk, requester
from tests.mturk_api.worker_acts import HIT, QUESTION, TERMS

pytestmark = [
    pytest.mark.postgresql(reason="locks, plans and errors are the database's own"),
    pytest.mark.django_db,
]
TRANSACTION = ("SAVEPOINT", "RELEASE", "SET LOCAL")  # of which the first two are BEGIN and COMMIT outside of tests


@pytest.fixture
def key() -> Any:
    return requester()


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


def statements(call: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as seen:
        call()
    return [" ".join(query["sql"].split()) for query in seen]


def count(call: Callable[[], object]) -> tuple[int, int]:
    """Statements, and those that only begin or end a transaction."""
    found = statements(call)
    around = sum(each.startswith(TRANSACTION) for each in found)
    return len(found) - around, around


def test_a_call_takes_few_statements(client: Any) -> None:
    made = client.create_hit(**HIT)["HIT"]
    of_type = {"HITTypeId": made["HITTypeId"], "LifetimeInSeconds": 3600, "Question": QUESTION}
    assert count(lambda: client.create_hit(**HIT)) == (8, 2)
    assert count(lambda: client.create_hit_with_hit_type(**of_type)) == (8, 2)
    assert count(lambda: client.create_hit(**HIT, UniqueRequestToken="once")) == (9, 2)
    assert count(lambda: client.get_hit(HITId=made["HITId"])) == (2, 0)
    assert count(client.get_account_balance) == (2, 0)
    assert count(client.list_hits)[0] == 3


def test_what_others_change_too_is_locked_after_all_reading_and_the_budget_last(client: Any) -> None:
    client.create_hit(**HIT)
    [begun, *rest, budget, done] = statements(lambda: client.create_hit(**HIT))[2:]
    assert begun.startswith("SAVEPOINT")
    assert done.startswith("RELEASE")
    assert budget.startswith('UPDATE "annotation_account"')
    assert not any("FOR UPDATE" in each or "FOR NO KEY" in each for each in rest)
    assert [each.split()[0] for each in rest] == ["UPDATE", *["INSERT"] * 4]


def test_tickets_and_sizes_count_on_and_the_sweep_brings_the_dataset_up_to_date(client: Any) -> None:
    made = [client.create_hit(**HIT)["HIT"] for _number in range(3)]
    other = client.create_hit_type(**TERMS | {"Title": "Other"})["HITTypeId"]
    client.update_hit_type_of_hit(HITId=made[1]["HITId"], HITTypeId=other)
    hits = Hit.objects.order_by("batch", "ticket").values_list("public_id", "ticket", "item__position")
    assert list(hits) == [(made[0]["HITId"], 0, 0), (made[2]["HITId"], 2, 2), (made[1]["HITId"], 0, 0)]
    assert Item.objects.count() == 3
    assert hit_creation.count_items() == 2
    assert list(Dataset.objects.order_by("pk").values_list("size", flat=True)) == [2, 1]
    assert hit_creation.count_items() == 0


def many(listing: Listing, number: int) -> None:
    """So many more rows like this one, faster than by calls, of which the database has no statistics."""
    old = listing.hit
    items = [
        Item(dataset=old.item.dataset, position=k, source_id=str(k), group_key=str(k), content=old.item.content)
        for k in range(1, number)
    ]
    columns = {"batch": old.batch, "payload": old.payload, "wanted": 1, "closes_at": old.closes_at}
    hits = [
        Hit(item=item, public_id=f"3X{item.position}", ticket=item.position, **columns)
        for item in Item.objects.bulk_create(items)
    ]
    about = {"project": listing.project, "due_at": listing.due_at}
    Listing.objects.bulk_create(
        Listing(hit=hit, created_at=listing.created_at + timedelta(seconds=hit.ticket), **about)
        for hit in Hit.objects.bulk_create(hits)
    )


def test_lists_go_along_an_index_before_the_database_has_statistics_as_after(client: Any) -> None:
    client.create_hit(**HIT)
    many(Listing.objects.select_related("hit__item__dataset", "hit__batch", "project").get(), 3000)
    page = client.list_hits(MaxResults=10)
    for _before in (True, False):
        found = statements(lambda: client.list_hits(MaxResults=10, NextToken=page["NextToken"]))
        [asked] = [each for each in found if 'FROM "mturk_api_listing"' in each and "ORDER BY" in each]
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN {'QUERY PLAN' if connection.vendor == 'sqlite' else ''} {asked}")
            plan = " / ".join(str(row[-1]) for row in cursor.fetchall())
            assert "listing_list" in plan
            assert "Sort" not in plan
            assert "TEMP B-TREE" not in plan
            cursor.execute("ANALYZE")


class Locked(Exception):
    sqlstate = "55P03"


def busy() -> OperationalError:
    """The error of a wait for a lock that took too long, as Django raises it."""
    error = OperationalError("canceling statement due to lock timeout / database is locked")
    error.__cause__ = Locked()
    return error


@pytest.mark.parametrize("mode", ["legacy", "standard"])
def test_clients_send_a_call_again_that_waited_too_long(key: Any, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {"aws_access_key_id": key.key_id, "aws_secret_access_key": key.secret}
    config = Config(retries={"mode": mode, "total_max_attempts": 3})
    client = SESSION.client("mturk", endpoint_url=INSIDE, region_name="us-east-1", config=config, **secrets)
    session = client._endpoint.http_session = Inside()
    transfer, calls = hit_creation.ledger.transfer, []

    def once_busy(*args: Any) -> Any:
        calls.append(args)
        if len(calls) == 1:
            raise busy()
        return transfer(*args)

    monkeypatch.setattr(hit_creation.ledger, "transfer", once_busy)
    made = client.create_hit(**HIT, UniqueRequestToken="once")
    assert [response.status_code for response in session.seen] == [400, 200]
    assert json.loads(session.seen[0].content)["__type"] == "ThrottlingException"
    assert made["ResponseMetadata"]["RetryAttempts"] == 1
    assert Listing.objects.count() == 1


def test_a_database_that_is_away_is_a_fault_of_the_service(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any) -> Any:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(hit_creation.ledger, "transfer", away)
    with pytest.raises(client.exceptions.ServiceFault):
        client.create_hit(**HIT)
