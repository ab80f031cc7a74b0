"""The pages of a project's money, and pay on the launching page."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from annotation.flow.money import ledger, ledger_table, payouts, wages
from annotation.flow.review import assignment_approval
from annotation.models import Account, Batch, Entry, Payment, PayoutLine
from tests.flow.paying import paid_batch, worked
from tests.views.batches.test_launch import form
from tests.views.console import at, work_off

D = Decimal


@pytest.fixture
def desk(client: Any, alice: Any) -> Any:
    client.force_login(alice)
    return client


@pytest.fixture
def paid(project: Any, dataset: Any) -> Batch:
    return paid_batch(project, dataset)


def url(name: str, *args: Any) -> str:
    return reverse(name, args=["wells", *args])


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_money_is_put_in_once_it_was_confirmed_and_once_however_often_it_is_sent(desk: Any, project: Any) -> None:
    wish = {"way": "in", "amount": "25.50", "note": "Grant 17", "key": "abc"}
    asked = text(desk.post(url("money-move"), wish))
    assert "Deposit $25.50 into the budget?" in asked
    assert "The budget is $0.00 now and will be $25.50." in asked
    assert ledger.balance(project, "available") == 0
    for _again in range(2):
        assert desk.post(url("money-move"), wish | {"confirm": "1"}).status_code == 303
    assert ledger.balance(project, "available") == D("25.50")
    assert Entry.objects.get().note == "Grant 17"


@pytest.mark.parametrize(
    ("wish", "result"),
    [
        ({"way": "out", "amount": "1"}, "the budget has only $0.00 left"),
        ({"way": "in", "amount": "0"}, "greater than or equal to 0.01"),
        ({"way": "in", "amount": "1.005"}, "no more than 2 decimal places"),
        ({"way": "in", "amount": "1e9"}, "less than or equal to"),
        ({"way": "up", "amount": "1"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_moved_is_said_beside_it(desk: Any, wish: dict[str, str], result: str) -> None:
    response = desk.post(url("money-move"), wish | {"key": "abc", "confirm": "1"})
    assert response.status_code == 422
    assert result in text(response)
    assert not Entry.objects.exists()


def test_the_page_says_which_way_money_went(desk: Any, project: Any) -> None:
    for way, result in (("in", "Deposited."), ("out", "Withdrawn.")):
        wish = {"way": way, "amount": "25.50", "key": way, "confirm": "1"}
        assert result in text(desk.post(url("money-move"), wish, follow=True))
    assert ledger.balance(project, "available") == 0


def test_the_page_says_what_lies_where(desk: Any, paid: Batch, bob: Any) -> None:
    worked(bob, paid, seconds=180, approved=True)
    html = text(desk.get(url("money")))
    for amount in ("$49.00", "$0.75", "$0.25", "$5.00"):  # the budget, set aside, owed, the wage
        assert amount in html
    assert "The ledger balances." in html
    Account.objects.filter(name="fees").delete()
    Account.objects.filter(name="available").update(balance=48)
    assert "The ledger does not balance" in text(desk.get(url("money")))


def test_every_kind_of_entry_has_its_german() -> None:
    with translation.override("de"):
        assert [words for words in ledger_table.KINDS.values() if gettext(words) == words] == []


def test_the_ledger_is_narrowed_and_downloaded(desk: Any, paid: Batch, bob: Any, carol: Any) -> None:
    for worker in (bob, carol):
        worked(worker, paid, approved=True)
    ledger.deposit(paid.project, D(1), key="live", note="=1+1")
    rows = desk.get(url("money-ledger"), {"worker": bob.pseudonym[:6], "kind": "reward", "batch": "paid"})
    assert [row.worker for row in rows.context["rows"]] == [bob.pseudonym]
    assert bob.user.username not in text(rows)
    body = b"".join(desk.get(url("ledger-file"), {"kind": "deposit"}).streaming_content).decode("utf-8-sig")
    found = list(csv.DictReader(io.StringIO(body)))
    assert [(row["amount"], row["note"], row["to"]) for row in found] == [
        ("1.00", "'=1+1", "budget"),
        ("50.00", "", "budget"),
    ]


def test_a_payout_is_made_paid_line_by_line_and_read_from_its_file(
    desk: Any, paid: Batch, bob: Any, carol: Any
) -> None:
    for worker in (bob, carol):
        worked(worker, paid, approved=True)
    assert desk.post(url("payout-new")).url == url("payout", 1)
    line = PayoutLine.objects.get(worker=bob)
    desk.post(url("payout-line", line.pk), {"state": "paid", "reference": "T 1"})
    page = text(desk.get(url("payout", 1)))
    assert "T 1" in page
    assert page.count('name="state" value="paid"') == 1
    content = desk.get(url("payout-file", 1)).content.decode().replace(",open,", ",failed,")
    desk.post(url("payout-read"), {"file": SimpleUploadedFile("p.csv", content.encode())})
    assert set(PayoutLine.objects.values_list("worker", "state")) == {(bob.pk, "paid"), (carol.pk, "failed")}
    assert desk.post(url("payout-new")).url == url("payout", 2)


def test_a_file_with_a_mistake_names_it_and_changes_nothing(desk: Any, paid: Batch, bob: Any) -> None:
    worked(bob, paid, approved=True)
    made = payouts.make_payout(paid.project)
    content = payouts.as_csv(made).replace(",open,", ",gone,").encode()
    refused = desk.post(url("payout-read"), {"file": SimpleUploadedFile("p.csv", content)})
    assert refused.status_code == 422
    assert "write open, paid or failed" in text(refused)
    assert PayoutLine.objects.get().state == "open"


def test_a_batch_is_topped_up_to_the_floor_as_it_was_shown(desk: Any, paid: Batch, bob: Any) -> None:
    desk.post(url("money-floor"), {"wage_floor": "15"})
    worked(bob, paid, seconds=180, approved=True)
    page = desk.get(url("batch-floor", "paid"))
    assert "Pay $0.50" in text(page)
    assert "$5.00" in text(desk.get(at("batch-workers", batch="paid")))
    for _again in range(2):
        desk.post(url("batch-floor", "paid"), {"shown": page.context["shown"]})
    assert Payment.objects.filter(kind="top_up").count() == 1
    assert wages.summary(wages.of_batch(paid)).tenth == D("15.00")


def test_a_wage_that_is_none_changes_nothing(desk: Any, project: Any) -> None:
    desk.post(url("money-floor"), {"wage_floor": "much"})
    project.refresh_from_db()
    assert project.wage_floor is None


def test_the_consequences_hold_the_quote_the_wage_and_the_interval(desk: Any, project: Any, dataset: Any) -> None:
    project.fees, project.wage_floor = "mturk", D(15)
    project.save()
    posted = form(dataset, sample="", assignments_per_hit="3", paid="on", reward="0.25", wished="5")
    html = text(desk.post(reverse("batch-consequences", args=["wells"]), posted))
    assert "<b>$3.60</b>" in html
    assert "Add $3.60 to the budget" in html
    assert "pays $7.50 per hour, below the project's wage floor of $15.00" in html
    assert "± 5 points need 257 items with 3 assignments each." in html
    assert not Batch.objects.exists()


def test_unpaid_is_the_default(desk: Any, dataset: Any) -> None:
    html = text(desk.post(reverse("batch-consequences", args=["wells"]), form(dataset)))
    assert "Unpaid: workers are volunteers" in html
    desk.post(reverse("batch-new", args=["wells"]), form(dataset))
    assert Batch.objects.get().auto_approval is None


def test_a_paid_batch_is_launched_within_the_budget_only(desk: Any, project: Any, dataset: Any) -> None:
    terms = form(dataset, paid="on", reward="0.25", auto_approve_days="2", name="pay", launch="1")
    new = reverse("batch-new", args=["wells"])
    assert "This requires $0.75, but the budget has only $0.00 left" in text(desk.post(new, terms))
    assert not Batch.everything.exists()
    ledger.deposit(project, D(1), key="budget")
    desk.post(new, terms)
    work_off()
    made = Batch.objects.get()
    assert (made.state, made.auto_approval, made.reward) == ("open", 2 * 24 * 3600, D("0.25"))
    assert ledger.balance(project, "available") == D("0.25")


def test_pay_without_a_reward_is_asked_for(desk: Any, dataset: Any) -> None:
    response = desk.post(reverse("batch-new", args=["wells"]), form(dataset, paid="on"))
    assert response.status_code == 422
    assert "Enter the pay per assignment" in text(response)


def test_a_stored_draft_shows_its_pay_and_its_quote(desk: Any, project: Any, dataset: Any) -> None:
    desk.post(reverse("batch-new", args=["wells"]), form(dataset, paid="on", reward="0.40", auto_approve_days="3"))
    page = desk.get(at("batch-edit", batch="wells-round-two"))
    assert page.context["form"]["reward"].value() == D("0.40")
    assert page.context["form"]["auto_approve_days"].value() == 3
    assert "<b>$1.20</b>" in text(page)


def test_a_batch_that_cannot_be_paid_for_again_is_not_reopened(desk: Any, paid: Batch) -> None:
    desk.post(at("batch-move", "close", batch="paid"))
    ledger.deposit(paid.project, D("-49.50"), key="out")
    result = desk.post(at("batch-move", "resume", batch="paid"), follow=True)
    paid.refresh_from_db()
    assert paid.state == "closed"
    assert "This requires $1.00, but the budget has only $0.50 left" in text(result)


def test_another_projects_money_is_not_there(client: Any, paid: Batch, bob: Any) -> None:
    row = worked(bob, paid)
    assignment_approval.approve(row)
    client.force_login(bob.user)
    for name, args in (("money", []), ("money-ledger", []), ("payout", [1]), ("batch-floor", ["paid"])):
        assert client.get(url(name, *args)).status_code == 404


def test_larger_data_is_counted_whole_by_a_job(
    desk: Any, project: Any, dataset: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.flow.batches.estimates.A_LOOK", 2)
    desk.post(reverse("batch-new", args=["wells"]), form(dataset, sample="", paid="on", reward="0.40"))
    assert "Calculate exactly from the saved draft" in text(desk.get(at("batch-edit", batch="wells-round-two")))
    job = desk.post(at("batch-quote", batch="wells-round-two")).url
    work_off()
    assert "<b>$1.60</b>" in text(desk.get(job))


def test_money_spent_is_a_chart_once_it_was_spent_at_several_times(
    desk: Any, paid: Batch, bob: Any, carol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked(bob, paid, approved=True)
    worked(carol, paid, approved=True)
    assert desk.get(url("money")).context["spending"] is None
    later = Entry.objects.latest("pk").created_at + timedelta(days=3)
    with monkeypatch.context() as patched:
        patched.setattr("annotation.models.clock.now", lambda: later)
        Entry.objects.create(**spent_again(Entry.objects.filter(kind="reward").latest("pk")))
    page = desk.get(url("money"))
    chart = page.context["spending"]
    spent = Entry.objects.filter(kind__in=["reward", "bonus", "top_up", "fee"])
    assert D(chart.n) == sum(entry.amount for entry in spent)
    assert chart.lines[0].points[0][1] == 0
    assert f"{D(chart.n):,}" in text(page)
    assert "Money spent over time" in text(page)


def spent_again(entry: Entry) -> dict[str, Any]:
    names = ("project_id", "source_id", "target_id", "amount", "kind", "batch_id", "worker_id")
    return {name: getattr(entry, name) for name in names} | {"key": "again"}
