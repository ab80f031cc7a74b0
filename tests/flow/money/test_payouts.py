"""Payouts: everything that is owed once, in a file, and back from it."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from typing import Any

import pytest

from annotation.flow.errors import Refused
from annotation.flow.money import ledger, ledger_audit, payouts
from annotation.flow.money.wages import earnings
from annotation.models import Entry, Payout, PayoutLine
from tests.flow.paying import paid_batch, worked

pytestmark = pytest.mark.postgresql(reason="accounts and lines of payouts are locked")

D = Decimal


@pytest.fixture
def payout(project: Any, dataset: Any, bob: Any, carol: Any) -> Payout:
    """Bob is owed 50 cents and Carol 25."""
    batch = paid_batch(project, dataset)
    bob.user.email = "bob@example.org"
    bob.user.save()
    for worker in (bob, bob, carol):
        worked(worker, batch, approved=True)
    return payouts.make_payout(project)


@pytest.fixture(autouse=True)
def balanced(project: Any) -> Any:
    yield
    assert ledger_audit.audit(project) == []


def rows(payout: Payout) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(payouts.as_csv(payout).removeprefix("\ufeff"))))


def file_of(rows: list[dict[str, str]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def test_a_payout_takes_everything_that_is_owed_once(payout: Payout, project: Any, bob: Any) -> None:
    assert [line.amount for line in payout.lines.order_by("pk")] == [D("0.50"), D("0.25")]
    assert (earnings(bob).approved_owed, earnings(bob).on_its_way) == (0, D("0.50"))
    with pytest.raises(Refused, match="Nobody is owed"):
        payouts.make_payout(project)
    assert Payout.objects.count() == 1


def test_the_file_says_whom_to_pay(payout: Payout, bob: Any) -> None:
    found = rows(payout)
    first = {"payout": "1", "worker_id": bob.public_id, "pseudonym": bob.pseudonym, "name": "Bob",
             "email": "bob@example.org", "amount": "0.50", "state": "open", "reference": ""}  # fmt: skip
    assert found[0] == first
    assert len(found) == 2


def test_a_name_that_a_spreadsheet_would_run_is_only_shown(payout: Payout, bob: Any) -> None:
    bob.user.display_name = "=1+1"
    bob.user.save()
    assert rows(payout)[0]["name"] == "'=1+1"


def test_a_file_read_back_settles_its_lines_and_twice_is_like_once(payout: Payout, bob: Any, carol: Any) -> None:
    filled = rows(payout)
    filled[0] |= {"state": "paid", "reference": "transfer 17"}
    filled[1] |= {"state": "failed"}
    content = file_of(filled)
    done = payouts.reconcile(payout.project, content)
    assert done == {"paid": 1, "failed": 1, "open": 0, "unchanged": 0}
    before = Entry.objects.count()
    assert payouts.reconcile(payout.project, content) == {"paid": 0, "failed": 0, "open": 0, "unchanged": 2}
    assert Entry.objects.count() == before
    assert (earnings(bob).paid_out, earnings(bob).on_its_way) == (D("0.50"), 0)
    assert (earnings(carol).approved_owed, earnings(carol).on_its_way) == (D("0.25"), 0)
    assert payout.lines.get(worker=bob).reference == "transfer 17"


def test_what_failed_comes_with_the_next_payout(payout: Payout, carol: Any) -> None:
    line = payout.lines.get(worker=carol)
    assert payouts.decide(line, "failed") is True
    assert payouts.decide(line, "failed") is False
    with pytest.raises(Refused, match="owed again"):
        payouts.decide(line, "paid")
    following = payouts.make_payout(payout.project)
    assert [(row.worker, row.amount) for row in following.lines.all()] == [(carol, D("0.25"))]
    assert following.number == 2


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("amount", "0.75", "the amount of this line is 0.50"),
        ("amount", "a lot", "the amount of this line is 0.50"),
        ("amount", "NaN", "the amount of this line is 0.50"),
        ("state", "done", "write open, paid or failed"),
        ("worker_id", "A0", "no payout of this project has this worker"),
        ("payout", "2", "no payout of this project has this worker"),
        ("reference", "x" * 201, "at most 200 characters"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_of_the_file_is_taken(
    payout: Payout, field: str, value: str, problem: str
) -> None:
    filled = [row | {"state": "paid"} for row in rows(payout)]
    filled[0][field] = value
    with pytest.raises(payouts.FileRefused, match=r"Nothing was changed\. Line 2") as refused:
        payouts.reconcile(payout.project, file_of(filled))
    [error] = refused.value.report["errors"]
    assert problem in str(error["problem"])
    assert set(PayoutLine.objects.values_list("state", flat=True)) == {"open"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the column is missing"),
        (b"worker_id,amount\n", "the column is missing"),
        (b"payout,worker_id,amount,state\n1\n", "no payout of this project has this worker"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b'payout,worker_id,amount,state\n"' + b"x" * 140_000, ""),
    ],
)
def test_a_file_that_is_none_is_refused(payout: Payout, content: bytes, problem: str) -> None:
    with pytest.raises(payouts.FileRefused) as refused:
        payouts.reconcile(payout.project, content)
    assert problem in str(refused.value)


def test_a_line_that_stands_twice_is_refused(payout: Payout) -> None:
    filled = rows(payout)
    with pytest.raises(payouts.FileRefused, match="appears twice in the file"):
        payouts.reconcile(payout.project, file_of([*filled, filled[0]]))


def test_a_file_as_spreadsheets_of_other_countries_save_it_is_read(payout: Payout) -> None:
    text = file_of([row | {"state": "Paid"} for row in rows(payout)]).decode()
    assert payouts.reconcile(payout.project, text.replace(",", ";").replace("0.", "0,").encode())["paid"] == 2


def test_another_projects_payout_is_not_there(payout: Payout) -> None:
    from annotation.models import Project

    mills = Project.objects.create(slug="mills", title="Mills")
    with pytest.raises(payouts.FileRefused, match="no payout of this project"):
        payouts.reconcile(mills, file_of(rows(payout)))


def test_money_that_went_out_came_from_what_was_put_in(payout: Payout, project: Any) -> None:
    for line in payout.lines.all():
        payouts.decide(line, "paid")
    books = ledger_audit.books(project)
    assert (books.paid_out, books.owed, books.on_its_way) == (D("0.75"), 0, 0)
    assert ledger.balance(project, "outside") == D("0.75") - 50
