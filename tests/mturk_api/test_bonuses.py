"""Bonuses through boto3: paid once a token, with a fee, for work that was done."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F

from annotation.flow.money import ledger
from annotation.flow.notifications import worker_messages
from annotation.models import Payment, Project, Worker
from annotation.mturk_api.models import RequestToken
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.refusals import refused
from tests.mturk_api.worker_acts import HIT, accept, work, worker


@pytest.fixture
def key(db: None) -> Any:
    return requester(balance="10.00")


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


@pytest.fixture
def done(client: Any, key: Any) -> dict[str, str]:
    """The pair that a bonus needs, of work that was submitted."""
    hit = client.create_hit(**HIT, MaxAssignments=2)["HIT"]["HITId"]
    row = work(worker(key.project, "bob"), hit)
    return {"WorkerId": row.worker.public_id, "AssignmentId": row.public_id}


def test_a_bonus_is_paid_with_its_fee_and_listed(client: Any, key: Any, done: dict[str, str]) -> None:
    Project.objects.filter(pk=key.project_id).update(fees="mturk")
    before = ledger.balance(key.project, ledger.AVAILABLE)
    assert set(client.send_bonus(**done, BonusAmount="1.5", Reason="Very good.")) == {"ResponseMetadata"}
    assert before - ledger.balance(key.project, ledger.AVAILABLE) == Decimal("1.80")
    result = client.list_bonus_payments(AssignmentId=done["AssignmentId"])["BonusPayments"][0]
    assert result | done | {"BonusAmount": "1.50", "Reason": "Very good."} == result
    assert result["GrantTime"].tzinfo is not None
    letter = worker_messages.unread(Worker.objects.get(public_id=done["WorkerId"])).get()
    assert (letter.subject, letter.text) == ("A bonus of $1.50 for you", "Very good.")


def test_a_token_pays_once_in_24_hours(client: Any, done: dict[str, str]) -> None:
    bonus = done | {"BonusAmount": "0.10", "Reason": "Thanks.", "UniqueRequestToken": "t-1"}
    client.send_bonus(**bonus)
    text = refused(client.send_bonus, code="DuplicateRequest", **bonus)
    assert 'The idempotency token "t-1" has already been processed.' in text
    assert Payment.objects.filter(kind="bonus").count() == 1
    RequestToken.objects.update(created_at=F("created_at") - timedelta(hours=24))
    client.send_bonus(**bonus)
    assert Payment.objects.filter(kind="bonus").count() == 2


def test_a_token_of_a_bonus_that_failed_is_still_good(client: Any, done: dict[str, str]) -> None:
    bonus = done | {"Reason": "Thanks.", "UniqueRequestToken": "t-1"}
    refused(client.send_bonus, code="InsufficientFunds", **bonus, BonusAmount="1000")
    client.send_bonus(**bonus, BonusAmount="0.10")


def test_without_a_token_each_request_pays(client: Any, done: dict[str, str]) -> None:
    for _time in range(2):
        client.send_bonus(**done, BonusAmount="0.10", Reason="Thanks.")
    assert Payment.objects.filter(kind="bonus").count() == 2


def test_a_bonus_that_the_budget_does_not_cover_is_not_paid(client: Any, done: dict[str, str]) -> None:
    text = refused(client.send_bonus, code="InsufficientFunds", **done, BonusAmount="10.01", Reason="Thanks.")
    assert text.startswith("This Requester has insufficient funds in their account to complete this transaction.")
    assert not Payment.objects.exists()


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({"BonusAmount": "0"}, "at least 0.01"),
        ({"BonusAmount": "-1"}, "regular expression"),
        ({"BonusAmount": "1.234"}, "regular expression"),
        ({"Reason": " "}, "Reason must have"),
        ({"Reason": "r" * 2001}, "Reason must have"),
        ({"AssignmentId": "3NOTHING"}, "does not exist"),
        ({"WorkerId": "ANOBODY"}, "WorkerId is invalid."),
        ({"UniqueRequestToken": "t" * 65}, "less than or equal to 64"),
    ],
)
def test_a_wrong_bonus_is_refused(client: Any, done: dict[str, str], members: dict[str, str], text: str) -> None:
    right = {**done, "BonusAmount": "0.10", "Reason": "Thanks."}
    assert text in refused(client.send_bonus, **(right | members))
    assert not Payment.objects.exists()


def test_a_bonus_needs_the_worker_of_the_assignment_and_their_work(client: Any, key: Any, done: dict[str, str]) -> None:
    carol = worker(key.project, "carol")
    terms = {"BonusAmount": "0.10", "Reason": "Thanks."}
    assert "does not have the Assignment" in refused(
        client.send_bonus, **(done | terms | {"WorkerId": carol.public_id})
    )
    hit = client.list_hits()["HITs"][0]["HITId"]
    under_way = accept(carol, hit)
    pair = {"WorkerId": carol.public_id, "AssignmentId": under_way.public_id}
    text = refused(client.send_bonus, code="InvalidAssignmentState", **pair, **terms)
    assert "This operation can be called with a status of: Reviewable,Approved,Rejected" in text


def test_another_requester_neither_pays_nor_sees(client: Any, done: dict[str, str]) -> None:
    stranger = mturk(requester("other"))
    client.send_bonus(**done, BonusAmount="0.10", Reason="Thanks.")
    assert "WorkerId is invalid." in refused(stranger.send_bonus, **done, BonusAmount="1", Reason="Mine.")
    named = {"AssignmentId": done["AssignmentId"]}
    refused(stranger.list_bonus_payments, code="AssignmentDoesNotExist", **named)


def test_bonuses_of_a_hit_come_in_pages(client: Any, key: Any, done: dict[str, str]) -> None:
    hit = client.list_hits()["HITs"][0]["HITId"]
    second = work(worker(key.project, "carol"), hit)
    both = [done, {"WorkerId": second.worker.public_id, "AssignmentId": second.public_id}]
    for k in range(5):
        client.send_bonus(**both[k % 2], BonusAmount=f"0.0{k + 1}", Reason="Thanks.")
    pages = client.get_paginator("list_bonus_payments")

    def amounts(**whose: str) -> list[str]:
        found = pages.paginate(**whose, PaginationConfig={"PageSize": 2})
        return [bonus["BonusAmount"] for page in found for bonus in page["BonusPayments"]]

    assert amounts(HITId=hit) == ["0.01", "0.02", "0.03", "0.04", "0.05"]
    assert amounts(AssignmentId=second.public_id) == ["0.02", "0.04"]
    assert "Either HITId or AssignmentId" in refused(client.list_bonus_payments)
    refused(client.list_bonus_payments, code="HITDoesNotExist", HITId="3NOTHING")
