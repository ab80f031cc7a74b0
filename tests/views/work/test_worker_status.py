"""The worker's side: why work is closed to them, what they hold, earn and are told; and how they come in."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.flow.money import ledger
from annotation.flow.notifications import worker_messages
from annotation.flow.people import qualification_types
from annotation.flow.review import assignment_approval, problem_reports
from annotation.flow.work import eligibility, leases
from annotation.models import (
    Assignment,
    Batch,
    Hit,
    Message,
    ProblemReport,
    Project,
    QualificationRequest,
    User,
    Worker,
)
from annotation.pure.people import requirements
from annotation.pure.people.requirements import Locale, Requirement
from tests.conftest import PASSWORD
from tests.flow.acting import answer_all, launched, take
from tests.marketplaces.test_frame import fields
from tests.one_line import one_line


@pytest.fixture
def kind(project: Any) -> Any:
    return qualification_types.create_type(project, "Round 2", description="From the second round.")


@pytest.fixture
def worker_client(client: Any, bob: Any) -> Any:
    client.force_login(bob.user)
    return client


def need(batch: Batch, kind: Any, guard: str = "Accept") -> None:
    one = Requirement(kind.public_id, "GreaterThanOrEqualTo", (80,), guard=guard)
    eligibility.require(batch, [one])


def home(client: Any) -> str:
    return str(client.get(reverse("work")).content.decode())


def test_home_says_why_a_batch_is_closed_and_how_to_come_in(
    worker_client: Any, batch: Any, kind: Any, bob: Any
) -> None:
    need(batch, kind)
    qualification_types.grant(kind, bob, 71, source="hand")
    html = home(worker_client)
    assert "requires 80 in “Round 2”; you have 71" in html
    assert reverse("qualification-ask", args=[kind.public_id]) in html
    assert reverse("batch-start", args=[batch.pk]) not in html
    assert "requires 80" in worker_client.post(reverse("batch-start", args=[batch.pk]), follow=True).content.decode()
    assert not Assignment.objects.exists()


def test_home_offers_it_once_the_score_is_there(worker_client: Any, batch: Any, kind: Any, bob: Any) -> None:
    need(batch, kind)
    qualification_types.grant(kind, bob, 80, source="hand")
    html = home(worker_client)
    assert "needs 80" not in html
    assert reverse("batch-start", args=[batch.pk]) in html


@pytest.mark.parametrize(
    ("guard", "listed", "instructions"),
    [("Accept", True, 200), ("PreviewAndAccept", True, 303), ("DiscoverPreviewAndAccept", False, 404)],
)
def test_a_guard_closes_list_instructions_or_work(
    worker_client: Any, batch: Any, kind: Any, guard: str, listed: bool, instructions: int
) -> None:
    need(batch, kind, guard)
    assert (batch.title in home(worker_client)) is listed
    assert worker_client.get(reverse("batch-instructions", args=[batch.pk])).status_code == instructions
    worker_client.post(reverse("batch-start", args=[batch.pk]))
    assert not Assignment.objects.exists()


def test_a_blocked_worker_sees_no_work_and_no_reason(worker_client: Any, batch: Any, bob: Any) -> None:
    qualification_types.block(bob, "sends rubbish")
    html = home(worker_client)
    assert batch.title not in html
    assert "rubbish" not in html


def test_asking_is_noted_and_shown(worker_client: Any, kind: Any) -> None:
    page = one_line(worker_client.get(reverse("my-qualifications")).content.decode())
    assert "From the second round." in page
    page = one_line(
        worker_client.post(reverse("qualification-ask", args=[kind.public_id]), follow=True).content.decode()
    )
    assert QualificationRequest.objects.get().state == "pending"
    assert "You requested “Round 2”" in page
    again = one_line(
        worker_client.post(reverse("qualification-ask", args=[kind.public_id]), follow=True).content.decode()
    )
    assert "has not decided yet" in again


def test_a_refusal_is_shown_with_its_reason(worker_client: Any, kind: Any, bob: Any) -> None:
    qualification_types.reject_request(qualification_types.request(kind, bob), reason="Too few answers yet.")
    page = one_line(worker_client.get(reverse("my-qualifications")).content.decode())
    assert "Too few answers yet." in page
    assert reverse("qualification-ask", args=[kind.public_id]) not in page


def test_scores_and_figures_are_shown(worker_client: Any, kind: Any, bob: Any) -> None:
    qualification_types.grant(kind, bob, 83, source="hand")
    page = one_line(worker_client.get(reverse("my-qualifications")).content.decode())
    assert "83" in page
    assert bob.public_id in page
    assert "percentage of approved assignments: 100" in page
    assert "counts as 100 for your first 100 assignments" in page


def test_home_says_that_the_time_of_a_hit_ran_out(worker_client: Any, batch: Batch, bob: Worker) -> None:
    row = take(bob, batch)
    assert row is not None
    assert "Accept it again" not in home(worker_client)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    leases.expire_due()
    html = one_line(home(worker_client))
    assert "time over" in html
    assert "nothing was entered" in html
    address = reverse("take-up", args=[row.public_id])
    assert f'action="{address}"' in html
    Assignment.objects.update(ended_at=timezone.now() - timedelta(days=8))
    assert "Accept it again" not in home(worker_client)
    Assignment.objects.update(draft={"text": "Tower"})
    assert "time over" in home(worker_client)
    assert "nothing was entered" not in home(worker_client)
    worker_client.post(address)
    assert "Accept it again" not in home(worker_client)


def test_an_unfinished_item_stands_in_its_batchs_card_and_that_card_first(
    worker_client: Any, batch: Batch, bob: Worker
) -> None:
    row = take(bob, batch)
    assert row is not None
    newer = launched(batch.project, "newer", batch.hits.all()[0].item.dataset, fresh_only=False)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    leases.expire_due()
    cards = home(worker_client).split('<section class="card batch">')[1:]
    titles = [batch.title in card for card in cards], [newer.title in card for card in cards]
    assert titles == ([True, False], [False, True])
    assert ["Unfinished item" in card for card in cards] == [True, False]


def test_what_was_returned_without_entries_is_not_listed(worker_client: Any, batch: Batch, bob: Worker) -> None:
    row = take(bob, batch)
    assert row is not None
    leases.return_assignment(row)
    assert "Accept it again" not in home(worker_client)


def paid(batch: Batch) -> None:
    Batch.objects.filter(pk=batch.pk).update(auto_approval=3600, reward=Decimal("0.25"))
    Hit.objects.filter(batch=batch).update(reward=Decimal("0.25"))
    ledger.deposit(batch.project, Decimal(50), key="start")


@pytest.fixture
def three(batch: Any, bob: Any, project: Any) -> list[Assignment]:
    """Three paid assignments that Bob submitted: one approved, one rejected, one undecided."""
    paid(batch)
    answer_all(bob, Batch.objects.get(pk=batch.pk), most=3)
    later = timezone.now() + timedelta(hours=1)
    Assignment.objects.filter(worker=bob).update(auto_approve_at=later)
    rows = list(Assignment.objects.filter(worker=bob).order_by("pk"))
    Assignment.objects.filter(pk=rows[2].pk).update(active_seconds=20)
    assignment_approval.approve(rows[0])
    assignment_approval.reject(rows[1], text="This names another tower.")
    return rows


def test_the_history_says_what_became_of_each(worker_client: Any, three: list[Assignment]) -> None:
    html = one_line(worker_client.get(reverse("history")).content.decode())
    for text in (
        "approved",
        "rejected",
        "This names another tower.",
        "waiting for approval",
        "approved automatically",
        "20 s",
    ):
        assert text in html


def test_earnings_are_shown_by_state_and_batch(worker_client: Any, three: list[Assignment], batch: Any) -> None:
    page = worker_client.get(reverse("my-earnings"))
    (row,) = page.context["projects"]
    assert (row["sums"].pending, row["sums"].approved_owed) == (Decimal("0.25"), Decimal("0.25"))
    (line,) = row["batches"]
    assert (line["submitted"], line["waiting"], line["approved"], line["rejected"]) == (3, 1, 1, 1)
    assert line["paid"] == Decimal("0.25")
    assert "$0.25" in page.content.decode()


def test_a_paid_batch_says_what_it_pays(worker_client: Any, batch: Any) -> None:
    paid(batch)
    assert "$0.25 each" in home(worker_client)


def test_messages_are_new_until_they_are_read(worker_client: Any, bob: Any, project: Any) -> None:
    worker_messages.send(bob, "Your last answers", "They were very good.")
    page = one_line(worker_client.get(reverse("my-messages")).content.decode())
    assert "They were very good." in page
    assert Message.objects.get().read_at is None  # looking changes nothing
    worker_client.post(reverse("message-write", args=["wells"]), {"read": "1"})
    assert Message.objects.get().read_at is not None


def test_a_worker_writes_back(worker_client: Any, bob: Any) -> None:
    worker_client.post(
        reverse("message-write", args=["wells"]), {"subject": "A question", "text": "Which tower is meant?"}
    )
    sent = Message.objects.get()
    assert (sent.from_worker, sent.worker, sent.text) == (True, bob, "Which tower is meant?")
    empty = worker_client.post(reverse("message-write", args=["wells"]), {"text": " "}, follow=True)
    assert "Write a message" in empty.content.decode()
    assert Message.objects.count() == 1


def test_a_worker_says_where_they_live_and_work_opens(worker_client: Any, batch: Any, bob: Any) -> None:
    eligibility.require(batch, [Requirement(requirements.LOCALE, "EqualTo", locales=(Locale("DE"),))])
    address = reverse("my-details", args=["wells"])
    assert address in home(worker_client)
    assert worker_client.post(address, {"country": "Germany"}).status_code == 422
    assert worker_client.post(address, {"subdivision": "BE"}).status_code == 422
    assert worker_client.post(address, {"country": "de", "subdivision": "be"}).status_code == 303
    result = Worker.objects.get(pk=bob.pk)
    assert (result.country, result.subdivision, result.adult) == ("DE", "BE", False)
    assert reverse("batch-start", args=[batch.pk]) in home(worker_client)


ACCOUNT = {"username": "dora", "display_name": "Dora", "password": "a phrase that is long"}


def open_to(project: Project, who: str) -> str:
    Project.objects.filter(pk=project.pk).update(sign_up=who)
    return reverse("open-join", args=[project.slug])


def test_nothing_is_open_by_default(client: Any, project: Any, batch: Any) -> None:
    assert client.get(reverse("open-join", args=["wells"])).status_code == 404
    assert client.post(reverse("open-join", args=["wells"]), ACCOUNT).status_code == 404
    assert not User.objects.filter(username="dora").exists()


def test_the_open_page_says_what_the_work_is_and_lets_people_in(client: Any, project: Any, batch: Any) -> None:
    paid(batch)
    address = open_to(project, "open")
    html = one_line(client.get(address).content.decode())
    for text in ("Wells and towers", batch.title, "$0.25 each", "We keep what you answer."):
        assert text in html
    response = client.post(address, ACCOUNT)
    assert response.url == reverse("consent", args=["wells"])
    assert not Worker.objects.get(user__username="dora").consented
    assert client.get(reverse("work")).status_code == 200  # signed in


def test_the_open_page_wants_a_good_password(client: Any, project: Any) -> None:
    address = open_to(project, "open")
    response = client.post(address, ACCOUNT | {"password": "short"})
    assert response.status_code == 422
    assert "password" in response.context["form"].errors
    assert not User.objects.filter(username="dora").exists()


def test_many_accounts_from_one_address_have_to_wait(client: Any, project: Any) -> None:
    address = open_to(project, "open")
    for _try in range(5):
        assert client.post(address, ACCOUNT | {"password": "short"}).status_code == 422
    response = client.post(address, ACCOUNT)
    assert response.status_code == 429
    assert "Several accounts were created" in response.content.decode()
    assert not User.objects.filter(username="dora").exists()


def test_a_house_project_is_for_those_who_have_an_account(client: Any, project: Any) -> None:
    address = open_to(project, "house")
    assert client.get(address).status_code == 404
    user = User.objects.create_user("dora", password=PASSWORD)
    client.force_login(user)
    assert "Join with this account" in client.get(address).content.decode()
    assert client.post(address).url == reverse("consent", args=["wells"])
    assert Worker.objects.filter(project=project, user=user).exists()
    assert client.get(address).url == reverse("work")


def test_a_hidden_batch_is_not_advertised(client: Any, project: Any, batch: Any, kind: Any) -> None:
    address = open_to(project, "open")
    need(batch, kind, "DiscoverPreviewAndAccept")
    assert batch.title not in client.get(address).content.decode()


def test_settings_open_the_page(client: Any, alice: Any, project: Any) -> None:
    client.force_login(alice)
    form = {"title": project.title, "consent": project.consent, "sign_up": "open"}
    client.post(reverse("project-settings", args=["wells"]), form)
    assert Project.objects.get(pk=project.pk).sign_up == "open"
    assert reverse("open-join", args=["wells"]) in client.get(reverse("people", args=["wells"])).content.decode()


def test_a_message_too_many_gets_a_sentence_and_is_not_sent(worker_client: Any, project: Any, bob: Any) -> None:
    Message.objects.bulk_create(
        Message(worker=bob, text="Again", from_worker=True) for _ in range(worker_messages.MOST_AN_HOUR)
    )
    sent = {"subject": "", "text": "Once more"}
    page = worker_client.post(reverse("message-write", args=[project.slug]), sent, follow=True)
    assert "Please wait a while before you send another" in page.content.decode()
    assert not Message.objects.filter(text="Once more").exists()


def test_a_report_too_many_gets_a_sentence_and_keeps_the_item(worker_client: Any, batch: Any, bob: Any) -> None:
    row = take(bob, batch)
    ProblemReport.objects.bulk_create(
        ProblemReport(assignment=row, reason="unclear") for _ in range(problem_reports.MOST_AN_HOUR)
    )
    url = reverse("report-problem", args=[row.public_id])
    page = worker_client.post(url, {"reason": "unclear"}, follow=True)
    assert "You have reported 30 problems within an hour" in one_line(page.content.decode())
    row.refresh_from_db()
    assert (row.state, row.problem_reports.count()) == ("accepted", problem_reports.MOST_AN_HOUR)
    ProblemReport.objects.update(created_at=timezone.now() - timedelta(minutes=61))
    worker_client.post(url, {"reason": "unclear"})
    assert row.problem_reports.count() == problem_reports.MOST_AN_HOUR + 1


def test_a_response_to_a_returned_item_is_not_said_to_be_late(worker_client: Any, batch: Any, bob: Any) -> None:
    row = take(bob, batch)
    leases.return_assignment(row)
    sent = worker_client.post(reverse("submit", args=[row.public_id]), fields(row), follow=True)
    page = sent.content.decode()
    assert row.responses.count() == 1
    assert "You had returned this item" in page
    assert "after the time limit" not in page
