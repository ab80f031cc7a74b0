"""The web server's clock may be wrong: what is stored and compared goes by the database's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.flow.people import members
from annotation.flow.projects import idempotency, job_queue
from annotation.flow.work import next_assignment
from annotation.models import ApiRequest, Assignment, Batch, Invite, Job, Project, User, WorkerResponse, clock
from annotation.webhooks import deliveries, protocol
from annotation.webhooks.models import Delivery, Webhook
from tests.conftest import PASSWORD
from tests.flow.paying import paid_batch
from tests.marketplaces.test_frame import fields
from tests.views.console import take

TEN = timedelta(minutes=10)
NEAR = timedelta(milliseconds=200)  # a reply may take so long where much goes on
SOON = timedelta(seconds=20)  # that a test may take
Shift = Callable[[timedelta], None]

pytestmark = [
    pytest.mark.postgresql(reason="the clock is the database's"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite's clock is that of the machine"),
]


@pytest.fixture
def shift(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Go on as another web server: with a clock that is wrong by so much, and a new connection."""
    right = timezone.now

    def shifted(by: timedelta) -> None:
        monkeypatch.setattr(timezone, "now", lambda: right() + by)
        connection.close()

    yield shifted
    monkeypatch.undo()
    connection.close()
    connection.ensure_connection()


def database_time() -> Any:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        return cursor.fetchone()[0]


def signed_in(name: str) -> Client:
    client = Client()
    assert client.login(username=name, password=PASSWORD)
    return client


@pytest.mark.parametrize(("accepting", "submitting"), [(TEN, -TEN), (-TEN, TEN)])
def test_an_answer_between_two_servers_with_wrong_clocks_keeps_its_times(
    project: Any, dataset: Any, bob: Any, shift: Shift, accepting: timedelta, submitting: timedelta
) -> None:
    batch = paid_batch(project, dataset, auto_approval=3600)
    next_assignment.read_instructions(next_assignment.join_batch(bob, batch), version=1)
    began = database_time()
    shift(accepting)
    client = signed_in("bob")
    client.post(reverse("batch-start", args=[batch.pk]))
    row = Assignment.objects.get()
    Assignment.objects.update(accepted_at=row.accepted_at - timedelta(seconds=100))  # they worked a while
    shift(submitting)
    sent = client.post(reverse("submit", args=[row.public_id]), fields(row, active_seconds="90.5"))
    assert sent.status_code in {200, 302, 303}, sent.content
    done = Assignment.objects.get(pk=row.pk)
    assert began <= row.accepted_at <= done.submitted_at <= database_time()
    assert done.submitted_at - row.accepted_at < SOON
    assert abs(row.lease_until - row.accepted_at - timedelta(seconds=batch.lease_seconds)) < SOON
    assert abs(done.auto_approve_at - done.submitted_at - timedelta(hours=1)) < SOON
    assert (done.active_seconds, WorkerResponse.objects.get().active_seconds) == (90.5, 90.5)
    assert abs(WorkerResponse.objects.get().created_at - done.submitted_at) < SOON


def test_what_the_page_measured_is_cut_only_by_what_passed(batch: Batch, bob: Any, shift: Shift) -> None:
    shift(-TEN)
    row = take(bob, batch)
    client = signed_in("bob")
    client.post(reverse("submit", args=[row.public_id]), fields(row, active_seconds="5000"))
    assert 0 < Assignment.objects.get(pk=row.pk).active_seconds < SOON.total_seconds()


@pytest.mark.parametrize("by", [TEN, -TEN])
def test_rows_that_a_server_with_a_wrong_clock_makes_have_the_databases_time(
    project: Project, shift: Shift, by: timedelta
) -> None:
    shift(by)
    before = database_time()
    job = job_queue.post("work", project=project, title="Work", arguments={})
    made = Invite.objects.bulk_create([Invite(project=project, role="worker", expires_at=clock.now())])[0]
    after = database_time()
    assert before - NEAR <= job.created_at <= after
    assert before - NEAR <= made.created_at <= after
    assert made.state == "over"


@pytest.mark.parametrize(("first", "second"), [(TEN, -TEN), (-TEN, TEN)])
def test_two_servers_with_wrong_clocks_share_leases_outboxes_keys_and_invites(
    project: Project, shift: Shift, first: timedelta, second: timedelta
) -> None:
    shift(first)
    owner = User.objects.create_user("olga")
    job_queue.post("work", project=project, title="Work", arguments={})
    taken = job_queue.take()
    assert taken is not None
    secret = protocol.secret(b"0" * 32)
    webhook = Webhook.objects.create(project=project, url="http://127.0.0.1:9/", kinds=["test"], secret=secret)
    due = deliveries.queue_test(webhook)
    resting = deliveries.queue_test(webhook, due_at=clock.now() + timedelta(minutes=5))
    invited = members.invite(project, role="worker", by=None, days=1)
    Invite.objects.filter(pk=invited.pk).update(expires_at=clock.now() + timedelta(minutes=5))
    answer = idempotency.Answer(201, "{}")
    idempotency.once(owner, "key", "digest", lambda: answer)
    shift(second)
    assert job_queue.take() is None, "the first server's lease holds"
    deliveries.deliver_due()  # nobody listens there
    tried = dict(Delivery.objects.values_list("pk", "tries"))
    assert tried == {due.pk: 1, resting.pk: 0}, "one was due, the other is to wait five minutes"
    assert members.usable_invite(invited.token) == invited
    ApiRequest.objects.update(created_at=F("created_at") - idempotency.LASTS + timedelta(minutes=5))
    assert idempotency.once(owner, "key", "digest", lambda: answer).repeated
    Job.objects.update(lease_until=Now() - timedelta(seconds=1))
    Invite.objects.update(expires_at=Now() - timedelta(seconds=1))
    assert job_queue.take() == taken
    assert members.usable_invite(invited.token) is None


def test_a_connection_that_is_used_again_asks_no_clock(batch: Batch, bob: Any, shift: Shift) -> None:
    shift(TEN)
    client = signed_in("bob")
    with CaptureQueriesContext(connection) as asked:
        client.get(reverse("home"))
    assert asked.captured_queries
    assert not [row for row in asked.captured_queries if row["sql"] == "SELECT statement_timestamp()"]
