"""The pages on which requesters decide on pay."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.flow.money import ledger
from annotation.models import Approval, Assignment, Batch, Hit, Member, Message, Payment, User
from tests.flow.compositions import compose, compose_batch
from tests.one_line import one_line
from tests.views.console import answer, at

QUEUE = "/projects/wells/approvals/"


@pytest.fixture
def rows(batch: Any, bob: Any, carol: Any) -> list[Assignment]:
    """Three answers of two workers, 0.25 each, a week's time."""
    Batch.objects.filter(pk=batch.pk).update(auto_approval=604_800, reward=Decimal("0.25"))
    Hit.objects.filter(batch=batch).update(reward=Decimal("0.25"))
    ledger.deposit(batch.project, Decimal(10), key="budget")
    batch.refresh_from_db()
    return [answer(who, batch) for who in (bob, bob, carol)]


@pytest.fixture
def desk(client: Client, alice: Any, rows: list[Assignment]) -> Client:
    client.force_login(alice)
    return client


def body(response: Any) -> str:
    return one_line(response.content.decode())


def test_the_queue_shows_the_clock_and_sounds_the_alarm(desk: Client, rows: list[Assignment]) -> None:
    page = body(desk.get(QUEUE))
    assert "in 6 days" in page.replace("\xa0", " ")
    assert 'role="alert"' not in page
    Assignment.objects.filter(pk=rows[2].pk).update(auto_approve_at=timezone.now() + timedelta(hours=5))
    Assignment.objects.filter(pk=rows[1].pk).update(auto_approve_at=timezone.now() - timedelta(hours=5))
    page = body(desk.get(QUEUE))
    assert "2 responses will be approved automatically within 48 hours" in page
    assert "any moment" in page
    by_worker = [rows[k].public_id for k in (1, 0, 2)]  # each worker's together, in the order of their first
    assert re.findall(r'name="which" value="([^"]+)"', page) == by_worker


def test_the_queue_takes_as_many_queries_for_many_responses_as_for_few(desk: Client, batch: Any, carol: Any) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as made:
            assert desk.get(QUEUE).status_code == 200
        return len(made)

    queries()  # what is looked up once in a process
    few = queries()
    for _turn in range(3):
        answer(carol, batch)
    assert desk.get(QUEUE).context["page"].paginator.count == 6
    assert queries() == few


def test_the_queue_narrows_to_a_batch_and_to_a_worker(desk: Client, rows: list[Assignment]) -> None:
    assert body(desk.get(QUEUE, {"worker": rows[2].worker.public_id})).count('name="which"') == 1
    assert body(desk.get(QUEUE, {"batch": "wells-1"})).count('name="which"') == 3
    assert body(desk.get(QUEUE, {"batch": "other"})).count('name="which"') == 0
    assert "No open approvals" in body(desk.get(QUEUE, {"show": "approved"}))


def test_many_are_rejected_after_a_confirmation_that_names_workers_and_money(
    desk: Client, rows: list[Assignment]
) -> None:
    chosen = {"which": [row.public_id for row in rows], "act": "reject"}
    asked = desk.post(f"{QUEUE}decide/", chosen)
    assert "3 responses by 2 workers, $0.75." in body(asked)
    assert not Approval.objects.exists()
    unsaid = desk.post(f"{QUEUE}decide/", chosen | {"confirm": "yes", "text": " "})
    assert unsaid.status_code == 422
    assert not Approval.objects.exists()
    done = desk.post(f"{QUEUE}decide/", chosen | {"confirm": "yes", "text": "All empty."}, follow=True)
    assert "Done for 3 responses" in body(done)
    assert {one.text for one in Approval.objects.all()} == {"All empty."}
    assert "Reverse selected rejections" in body(desk.get(QUEUE, {"show": "rejected"}))


def test_a_bonus_for_many_is_paid_once_for_each_and_a_letter_reaches_each(desk: Client, rows: list[Assignment]) -> None:
    chosen = {"which": [row.public_id for row in rows], "act": "bonus"}
    asked = desk.post(f"{QUEUE}decide/", chosen)
    form = re.search(r'name="form" value="([0-9a-f]+)"', body(asked))
    assert form
    unsaid = desk.post(f"{QUEUE}decide/", chosen | {"confirm": "yes", "form": form[1], "text": "Fine.", "amount": "x"})
    assert unsaid.status_code == 422
    assert not Payment.objects.exists()
    for _again in range(2):
        result = {"confirm": "yes", "form": form[1], "text": "Fine work.", "amount": "0.10"}
        desk.post(f"{QUEUE}decide/", chosen | result)
    assert [payment.amount for payment in Payment.objects.filter(kind="bonus")] == [Decimal("0.10")] * len(rows)
    letter = {"which": chosen["which"], "act": "message", "confirm": "yes", "text": "Thank you all."}
    desk.post(f"{QUEUE}decide/", letter)
    assert Message.objects.filter(text="Thank you all.").count() == len(rows)


def test_confirming_twice_pays_once(desk: Client, rows: list[Assignment]) -> None:
    chosen = {"which": [row.public_id for row in rows], "act": "approve", "confirm": "yes"}
    for _time in range(2):
        assert desk.post(f"{QUEUE}decide/", chosen).status_code == 303
    assert (Payment.objects.count(), Approval.objects.count()) == (3, 3)


def test_choosing_nothing_or_what_is_not_theirs_decides_nothing(desk: Client, rows: list[Assignment]) -> None:
    for given in ({}, {"which": "x"}, {"which": rows[0].public_id, "act": "delete", "confirm": "yes"}):
        assert desk.post(f"{QUEUE}decide/", given).status_code == 303
    assert not Approval.objects.exists()


def test_one_answer_is_shown_with_gold_and_decided_on_and_the_next_comes(desk: Client, rows: list[Assignment]) -> None:
    here = f"{QUEUE}{rows[0].public_id}/"
    page = body(desk.get(here))
    assert "Approve: pay $0.25" in page
    assert rows[0].current.answer["text"] in page
    assert "cannot be undone" in page
    assert f'rel="next" data-bind="next" href="{QUEUE}{rows[1].public_id}/"' in page
    gone = desk.post(here, {"act": "approve"})
    assert gone["Location"] == f"{QUEUE}{rows[1].public_id}/"
    again = desk.post(here, {"act": "approve"}, follow=True)
    assert "decided before" in body(again)
    assert Payment.objects.count() == 1
    late = desk.post(here, {"act": "reject", "text": "Empty."})
    assert late.status_code == 422
    assert Approval.objects.count() == 1


def test_a_rejection_is_taken_back_on_its_page(desk: Client, rows: list[Assignment]) -> None:
    here = f"{QUEUE}{rows[0].public_id}/"
    assert desk.post(here, {"act": "reject", "text": ""}).status_code == 422
    desk.post(here, {"act": "reject", "text": "Empty."})
    page = body(desk.get(here))
    assert "Reverse the rejection: pay $0.25" in page
    assert "Empty." in page
    desk.post(here, {"act": "override"})
    assert Payment.objects.get().amount == Decimal("0.25")


def test_a_bonus_is_paid_once_for_each_form(desk: Client, rows: list[Assignment]) -> None:
    here = f"{QUEUE}{rows[0].public_id}/"
    form = re.search(r'name="form" value="([^"]+)"', body(desk.get(here)))[1]
    given = {"act": "bonus", "text": "A fine answer.", "amount": "1.20", "form": form}
    for _time in range(2):
        assert desk.post(here, given)["Location"] == here
    assert [p.amount for p in Payment.objects.all()] == [Decimal("1.20")]
    assert "A fine answer." in body(desk.get(here))
    for amount in ("", "x", "NaN", "-1", "1e9", "0.001"):
        refused = desk.post(here, given | {"amount": amount, "form": "other"})
        assert refused.status_code == 422
        assert "A fine answer." in body(refused)  # nothing typed is lost
    assert Payment.objects.count() == 1


def test_a_bonus_from_another_tab_is_shown_before_one_more_is_paid(desk: Client, rows: list[Assignment]) -> None:
    here = f"{QUEUE}{rows[0].public_id}/"
    tabs = [hidden(body(desk.get(here))) for _tab in range(2)]
    desk.post(here, tabs[0] | {"text": "Fine.", "amount": "1.20"})
    asked = desk.post(here, tabs[1] | {"text": "Fine, says the other tab.", "amount": "1.20"})
    assert asked.status_code == 409
    page = body(asked)
    assert "A bonus was paid in the meantime" in page
    assert "This response already has $1.20 in bonuses." in page
    assert "Fine, says the other tab." in page  # nothing typed is lost
    assert [p.amount for p in Payment.objects.all()] == [Decimal("1.20")]
    again = hidden(page) | {"text": "Fine, says the other tab.", "amount": "1.20"}
    for _time in range(2):
        assert desk.post(here, again).status_code == 303
    assert [p.amount for p in Payment.objects.all()] == [Decimal("1.20")] * 2


def test_bonuses_for_many_ask_again_too(desk: Client, rows: list[Assignment]) -> None:
    many = {"which": [row.public_id for row in rows], "act": "bonus"}
    asked = hidden(body(desk.post(f"{QUEUE}decide/", many)))
    here = f"{QUEUE}{rows[0].public_id}/"
    desk.post(here, hidden(body(desk.get(here))) | {"text": "Fine.", "amount": "1.20"})
    wish = many | asked | {"confirm": "yes", "text": "Fine.", "amount": "0.10"}
    held = desk.post(f"{QUEUE}decide/", wish)
    assert held.status_code == 422
    assert "These responses already have $1.20 in bonuses." in body(held)
    assert Payment.objects.count() == 1
    desk.post(f"{QUEUE}decide/", wish | hidden(body(held)))
    assert Payment.objects.count() == 1 + len(rows)


def hidden(page: str) -> dict[str, str]:
    """The hidden fields of the form of a bonus, as a browser sends them."""
    form = re.search(r'(?:name="act" value="bonus">)(.*?)</form>', page, re.S)
    assert form
    found = dict(re.findall(r'<input type="hidden" name="([a-z]+)" value="([^"]*)"', form[1]))
    return {"act": "bonus", **found}


def test_a_letter_and_a_repair(desk: Client, rows: list[Assignment], client: Client) -> None:
    here = f"{QUEUE}{rows[0].public_id}/"
    desk.post(here, {"act": "message", "text": "Please tick both."})
    assert Message.objects.get().worker == rows[0].worker
    assert desk.post(here, {"act": "return", "text": "Tick both.", "revision": "7"}).status_code == 409
    assert desk.post(here, {"act": "return", "text": "Tick both.", "revision": "1"}).status_code == 303
    client.force_login(rows[0].worker.user)
    assert "Tick both." in body(client.get(f"/assignments/{rows[0].public_id}/"))


def test_reading_for_the_data_can_approve_in_one_go(client: Client, alice: Any, bob: Any, dataset: Any) -> None:
    batch = compose_batch(alice.memberships.get().project, dataset)
    Batch.objects.filter(pk=batch.pk).update(auto_approval=604_800)
    Hit.objects.filter(batch=batch).update(reward=Decimal("0.60"))
    ledger.deposit(batch.project, Decimal(10), key="budget")
    batch.refresh_from_db()
    row = compose(bob, batch)
    here = at("review-answer", row.public_id, batch=batch.slug)
    given = {"decision": "accepted+approved", "revision": 1, "seen": 0}
    rita = User.objects.create_user("rita")
    Member.objects.create(project=batch.project, user=rita, role=Member.Role.REVIEWER)
    client.force_login(rita)  # who reads, and does not pay
    assert "Accept and approve" not in body(client.get(here))
    assert client.post(here, given).status_code == 403
    assert not row.reviews.exists()
    client.force_login(alice)
    assert "Accept and approve: pay $" in body(client.get(here))
    assert client.post(here, given).status_code == 303
    assert client.post(here, given).status_code == 409  # it was decided meanwhile
    row.refresh_from_db()
    assert (row.approval, row.reviews.get().decision, Payment.objects.count()) == ("approved", "accepted", 1)
    assert "Accept and approve" not in body(client.get(here))


def test_the_file_of_decisions(desk: Client, rows: list[Assignment]) -> None:
    desk.post(f"{QUEUE}{rows[0].public_id}/", {"act": "reject", "text": "Empty."})
    reply = desk.get(f"{QUEUE}decisions.csv")
    result = b"".join(reply.streaming_content).decode().splitlines()
    assert result[0].startswith("batch,assignment,worker,decision")
    assert ",rejected,Empty.," in result[1]
    assert "attachment" in reply["Content-Disposition"]


def test_strangers_see_and_decide_nothing(rows: list[Assignment], client: Client, bob: Any) -> None:
    client.force_login(bob.user)
    for address in (QUEUE, f"{QUEUE}decisions.csv", f"{QUEUE}{rows[0].public_id}/"):
        assert client.get(address).status_code == 404
    client.post(f"{QUEUE}{rows[0].public_id}/", {"act": "approve"})
    assert not Approval.objects.exists()
