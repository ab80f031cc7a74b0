"""Approvals, payments, the ledger and payouts over the API."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.flow.money import ledger
from annotation.models import Project
from tests.api.calling import caller, fields_at_fault, member
from tests.flow import acting

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(alice: Any) -> Any:
    return caller(alice)


@pytest.fixture
def paid(project: Any, dataset: Any, bob: Any) -> Any:
    """A batch that pays a quarter; bob answered its four HITs."""
    ledger.deposit(project, Decimal(20), key="budget")
    pay = {"auto_approval": 3600, "reward": Decimal("0.25"), "assignments_per_hit": 1}
    made = acting.launched(project, "paid", dataset, **pay)
    acting.answer_all(bob, made)
    return made


def queries(api: Any, path: str) -> int:
    api.get(path)
    with CaptureQueriesContext(connection) as found:
        assert api.get(path).status_code == 200
    return len(found)


def test_answers_are_approved_rejected_and_given_a_bonus(api: Any, paid: Any, bob: Any, project: Any) -> None:
    rows = api.get("approvals/", batch="paid", worker=bob.pseudonym).json()["results"]
    assert [(row["earns"], row["pressing"], row["approval"]) for row in rows] == [("0.25", True, "")] * 4
    one, two, three, _four = (f"approvals/{row['assignment']}/" for row in rows)
    assert api.post(f"{one}approve/", text="Thanks.").json()["approval"] == "approved"
    assert api.post(f"{one}approve/").json()["approval"] == "approved"
    assert fields_at_fault(api.post(f"{two}reject/")) == {"text"}
    assert api.post(f"{two}reject/", text="Copied.").json()["approval"] == "rejected"
    assert api.post(f"{two}approve/").status_code == 409
    assert api.post(f"{two}approve/", override=True).json()["approval"] == "approved"
    assert fields_at_fault(api.post(f"{one}bonus/", amount="0.001", reason="X")) == {"amount"}
    number = api.post(f"{one}bonus/", amount=1.5, reason="X")
    assert fields_at_fault(number) == {"amount"}
    assert "as text" in number.json()["detail"]
    bonus = {"amount": "0.50", "reason": "Very careful."}
    assert api.post(f"{one}bonus/", key="b1", **bonus).json()["amount"] == "0.50"
    assert api.post(f"{one}bonus/", key="b1", **bonus).status_code == 201
    short = api.post(f"{one}bonus/", amount="900.00", reason="More than there is.")
    assert short.status_code == 409
    assert api.post(f"{three}return/", revision=1, message="The second hop?").status_code == 200
    assert ledger.balance(project, ledger.owed_to(bob.pk)) == Decimal("1.00")
    assert len(api.get("approvals/", show="approved").json()["results"]) == 2


def test_many_are_decided_at_once_each_by_itself(api: Any, paid: Any) -> None:
    assert queries(api, "approvals/?limit=1") == queries(api, "approvals/")
    ids = [row["assignment"] for row in api.get("approvals/").json()["results"]]
    assert fields_at_fault(api.post("approvals/decide/", assignments=ids, act="reject")) == {"text"}
    assert fields_at_fault(api.post("approvals/decide/", assignments=["x"], act="approve")) == {"assignments.0"}
    assert fields_at_fault(api.post("approvals/decide/", assignments=ids, act="bonus", text="X")) == {"amount"}
    api.post(f"approvals/{ids[0]}/reject/", text="Copied.")
    result = api.post("approvals/decide/", assignments=ids, act="approve").json()
    assert (result["done"], len(result["refused"])) == (3, 1)


def test_a_key_of_mine_is_no_key_of_yours(api: Any, paid: Any, project: Any) -> None:
    row, other = paid.assignments.first(), member(project, "olga", "owner")
    for one in (api, api, other):
        path = f"approvals/{row.public_id}/bonus/"
        assert one.post(path, key="today", amount="1.00", reason="Thank you").status_code == 201
    assert row.payments.filter(kind="bonus").count() == 2


def test_money_is_told_in_dollars_and_adds_up(api: Any, paid: Any, bob: Any) -> None:
    ids = [row["assignment"] for row in api.get("approvals/").json()["results"]]
    api.post("approvals/decide/", assignments=ids, act="approve")
    books = api.get("money/").json()
    assert (books["owed"], books["faults"], books["wage_floor"]) == ("1.00", [], None)
    rows = api.get("payments/", kind="reward", worker=bob.public_id, batch="paid").json()["results"]
    assert [(row["amount"], row["worker"], row["state"]) for row in rows] == [("0.25", bob.pseudonym, "paid")] * 4
    assert api.get("payments/", state="failed").json()["results"] == []
    entries = api.get("ledger/").json()["results"]
    assert {"deposit", "hold", "reward"} <= {row["kind"] for row in entries}
    assert len(api.get("ledger/", kind="reward", worker=bob.pseudonym[:6], batch="paid").json()["results"]) == 4
    for path in ("payments/", "ledger/"):
        assert queries(api, f"{path}?limit=1") == queries(api, path), path


def test_what_is_owed_is_paid_out_and_read_back(api: Any, paid: Any, bob: Any) -> None:
    assert api.post("payouts/").status_code == 409
    ids = [row["assignment"] for row in api.get("approvals/").json()["results"]]
    api.post("approvals/decide/", assignments=ids, act="approve")
    made = api.post("payouts/", key="p1")
    assert api.post("payouts/", key="p1").json() == made.json()
    result = made.json()
    assert (result["number"], result["total"], result["lines_open"]) == (1, "1.00", 1)
    assert result["lines"][0]["name"] == "Bob"
    file = api.get("payouts/1/export/csv/").content
    wrong = file.replace(b",1.00,", b",2.00,")
    path = f"{api.base}payouts/reconcile/"
    refused = api.client.post(path, wrong.replace(b"open", b"paid"), content_type="application/octet-stream")
    assert (refused.status_code, refused.json()["report"]["errors"][0]["field"]) == (422, "amount")
    done = api.client.post(path, file.replace(b"open", b"paid"), content_type="application/octet-stream")
    assert done.json()["paid"] == 1
    assert api.get("payouts/").json()["results"][0]["lines_open"] == 0
    assert api.post("payouts/1/note/", worker=bob.pseudonym, state="failed").status_code == 409
    assert fields_at_fault(api.post("payouts/1/note/", worker="x", state="paid")) == {"worker"}
    assert api.get("payouts/99999999999/").status_code == 404


def test_a_reviewer_and_strangers_see_no_money(paid: Any, project: Any) -> None:
    rita = member(project, "rita", "reviewer")
    for path in ("approvals/", "money/", "payments/", "ledger/", "payouts/"):
        assert rita.get(path).status_code == 403, path
    assert rita.post("payouts/").status_code == 403
    stranger = member(Project.objects.create(slug="springs", title="Springs"), "dave", "owner")
    one = paid.assignments.first().public_id
    assert stranger.post(f"approvals/{one}/approve/").status_code == 404
    assert stranger.get("payments/").json()["results"] == []
