"""Pages of HITs and assignments, and thousands of them: no call's cost depends on how many there are."""

from __future__ import annotations

import base64
from decimal import Decimal
from typing import Any

import pytest
from botocore.exceptions import ClientError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Hit
from annotation.mturk_api.flow import hit_creation
from annotation.mturk_api.flow.hit_creation import HitRequest, Terms
from annotation.mturk_api.models import Listing
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.worker_acts import HIT, QUESTION, TERMS, accept, pass_time, submit, work, worker


@pytest.fixture
def key(db: None) -> Any:
    return requester(balance="1000000.00")


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


def pour(key: Any, count: int) -> list[str]:
    """So many HITs of the same type, without a request."""
    asked = Terms(TERMS["Title"], TERMS["Description"], Decimal("0.25"), TERMS["AssignmentDurationInSeconds"])
    made = hit_creation.hit_type_of(key.project, asked)
    return [hit_creation.list_hit(made, HitRequest(QUESTION, 3600)).hit.public_id for _each in range(count)]


def make(client: Any, count: int) -> list[str]:
    """So many HITs of one type, as scripts make them."""
    hit_type = client.create_hit_type(**TERMS)["HITTypeId"]
    asked = {"HITTypeId": hit_type, "LifetimeInSeconds": 3600, "Question": QUESTION}
    return [
        client.create_hit_with_hit_type(**asked, RequesterAnnotation=f"n/{k}")["HIT"]["HITId"] for k in range(count)
    ]


def listed(client: Any, operation: str, field: str, **members: Any) -> list[Any]:
    return [row for page in client.get_paginator(operation).paginate(**members) for row in page[field]]


def test_every_page_with_rows_leads_on_and_the_last_is_empty(client: Any) -> None:
    made = make(client, 5)
    found, pages, token = [], [], {}
    while True:
        page = client.list_hits(MaxResults=2, **token)
        pages.append(page["NumResults"])
        found += [hit["HITId"] for hit in page["HITs"]]
        if not page["HITs"]:
            break
        token = {"NextToken": page["NextToken"]}
    assert pages == [2, 2, 1, 0]
    assert "NextToken" not in page
    assert found == made
    assert client.list_hits()["NumResults"] == 5


def test_what_comes_in_meanwhile_moves_no_page(client: Any) -> None:
    made = make(client, 4)
    page = client.list_hits(MaxResults=2)
    client.update_expiration_for_hit(HITId=made[0], ExpireAt=0)
    client.delete_hit(HITId=made[0])
    late = make(client, 1)
    rest = client.list_hits(MaxResults=10, NextToken=page["NextToken"])
    assert [hit["HITId"] for hit in rest["HITs"]] == made[2:] + late


def test_the_paginators_of_boto3_find_everything(key: Any, client: Any) -> None:
    made = make(client, 12)
    hit_type = client.get_hit(HITId=made[0])["HIT"]["HITTypeId"]
    bob = worker(key.project, "bob")
    client.create_additional_assignments_for_hit(HITId=made[0], NumberOfAdditionalAssignments=2)
    rows = [work(worker(key.project, name), made[0]) for name in ("carol", "dan", "erin")]
    work(bob, made[1])
    assert [row["HITId"] for row in listed(client, "list_hits", "HITs")] == made
    assert {row["HITId"] for row in listed(client, "list_reviewable_hits", "HITs")} == set(made[:2])
    client.update_hit_review_status(HITId=made[1])
    assert [row["HITId"] for row in client.list_reviewable_hits()["HITs"]] == [made[0]]
    assert [row["HITId"] for row in client.list_reviewable_hits(Status="Reviewing")["HITs"]] == [made[1]]
    assert client.list_reviewable_hits(HITTypeId=hit_type)["NumResults"] == 1
    client.approve_assignment(AssignmentId=rows[0].public_id)
    client.reject_assignment(AssignmentId=rows[1].public_id, RequesterFeedback="No.")
    for statuses, found in ((["Submitted"], rows[2:]), (["Approved", "Rejected"], rows[:2]), ([], rows)):
        shown = listed(client, "list_assignments_for_hit", "Assignments", HITId=made[0], AssignmentStatuses=statuses)
        assert [row["AssignmentId"] for row in shown] == [row.public_id for row in found]
    pass_time(3601)
    assert len(listed(client, "list_reviewable_hits", "HITs")) == 11


def test_a_hit_is_reviewable_once_nobody_works_on_it_any_more(key: Any, client: Any) -> None:
    full, ended = make(client, 2)
    rows = [accept(worker(key.project, name), hit_id) for name, hit_id in (("bob", full), ("carol", ended))]
    client.update_expiration_for_hit(HITId=ended, ExpireAt=0)
    assert client.list_reviewable_hits()["HITs"] == []
    for row, found in zip(rows, ([full], [full, ended]), strict=True):
        submit(row)
        assert [hit["HITId"] for hit in client.list_reviewable_hits()["HITs"]] == found


@pytest.mark.parametrize("token", ["x", "W10=", base64.urlsafe_b64encode(b'["2026-01-01", 1]').decode()])
def test_a_token_that_we_did_not_make_is_refused_or_harmless(client: Any, token: str) -> None:
    try:
        assert client.list_hits(NextToken=token)["HITs"] == []
    except ClientError as refused:
        result = refused.response["Error"]["Message"]
        assert result.startswith("The NextToken is not valid.")


def queries(call: Any) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        call()
    return len(seen)


def check(key: Any, client: Any, *, made: int, poured: int) -> None:
    """Make HITs; the last costs as many queries as the third, and lists find each of them once."""
    ids = make(client, 3)
    few = [queries(lambda: client.create_hit(**HIT)), queries(lambda: client.list_hits(MaxResults=3))]
    ids += make(client, made) + pour(key, poured)
    many = [queries(lambda: client.create_hit(**HIT)), queries(lambda: client.list_hits(MaxResults=3))]
    assert many == few
    found = [hit["HITId"] for hit in listed(client, "list_hits", "HITs", PaginationConfig={"PageSize": 100})]
    assert len(found) == len(set(found)) == made + poured + 5
    assert set(ids) <= set(found)
    assert client.get_account_balance()["AvailableBalance"] == f"{1_000_000 - len(found) * 0.25:.2f}"


def test_a_hundred_hits(key: Any, client: Any) -> None:
    check(key, client, made=10, poured=95)


@pytest.mark.soak
def test_ten_thousand_hits(key: Any, client: Any) -> None:
    check(key, client, made=10_000, poured=0)


def test_lists_walk_an_index(client: Any) -> None:
    make(client, 3)
    Listing.objects.update(due_at=None)
    page = client.list_hits(MaxResults=1)
    with CaptureQueriesContext(connection) as seen:
        client.list_hits(MaxResults=1, NextToken=page["NextToken"])
    [asked] = [q["sql"] for q in seen if 'FROM "mturk_api_listing"' in q["sql"] and "ORDER BY" in q["sql"]]
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {asked}")
            plan = " / ".join(row[3] for row in cursor.fetchall())
        assert "listing_list" in plan
        assert "TEMP B-TREE" not in plan
    assert Hit.objects.count() == 3
