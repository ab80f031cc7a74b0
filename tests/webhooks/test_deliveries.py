"""Webhooks: what is told, where somebody asks; signed, tried again under the same id, given up, and stopped."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation import jobs
from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.notifications import safe_http
from annotation.flow.review import approval_queue, assignment_approval, review_decisions
from annotation.models import Assignment, BatchActivity, Project
from annotation.webhooks import deliveries, protocol, subscriptions
from annotation.webhooks.models import Delivery, Webhook, WebhookEvent
from tests.flow.acting import answer_all, submit, take
from tests.flow.paying import paid_batch, worked
from tests.mturk_api.hook import Hook, hook

pytestmark = pytest.mark.postgresql(reason="deliveries are fetched and fenced by guarded updates")

EVERYTHING = list(protocol.KINDS)


def add(project: Any, url: str = "http://127.0.0.1:45998/", kinds: list[str] = EVERYTHING) -> Webhook:
    made = subscriptions.add(project, url=url, kinds=kinds)
    for batch in project.batches.all():
        batch.project.refresh_from_db()
    return made


def fresh(batch: Any) -> Any:
    """The batch as another request reads it."""
    return type(batch).objects.select_related("project").get(pk=batch.pk)


def verified(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """What a receiver's library does, by the specification of Standard Webhooks."""
    result = {name.lower(): value for name, value in headers.items()}
    if abs(timezone.now().timestamp() - int(result["webhook-timestamp"])) > 300:
        return False
    content = b".".join([result["webhook-id"].encode(), result["webhook-timestamp"].encode(), body])
    expected = hmac.digest(base64.b64decode(secret.split("_", 1)[1]), content, hashlib.sha256)
    given = [part.split(",", 1) for part in result["webhook-signature"].split(" ")]
    return any(v == "v1" and hmac.compare_digest(base64.b64decode(text), expected) for v, text in given)


def types(there: Hook) -> list[str]:
    return [json.loads(body)["type"] for _headers, body in there.letters]


def ids(there: Hook) -> list[str]:
    return [headers["webhook-id"] for headers, _body in there.letters]


def later(hours: float = 7) -> None:
    """Let time pass for what waits."""
    gone = timezone.now() - timedelta(hours=hours)
    Delivery.objects.filter(state="due").update(due_at=gone)
    Webhook.objects.update(rests_until=None)


def test_a_batch_is_told_from_its_first_answer_to_its_end(project: Any, batch: Any, bob: Any, carol: Any) -> None:
    with hook() as there:
        secret = add(project, there.url).secret
        for worker in (bob, carol):
            while row := take(worker, fresh(batch)):
                submit(row)
                jobs.run_due_work()
        submit(Assignment.objects.first(), {"kind": "none"} | _said(), key="2", base=1)
        row = Assignment.objects.first()
        review_decisions.decide(row, 2, review_decisions.Decision("accepted", {}), reviewer=None)
        batch_launch.pause(fresh(batch))
        batch_launch.close(fresh(batch))
        jobs.enqueue("create_results_dataset", project=project, title="G", arguments={"batch": batch.pk, "name": "out"})
        jobs.run_due_work()
        jobs.run_due_work()
    result = types(there)
    assert result.count("assignment.submitted") == 8
    assert result.count("batch.progress") == 7, "after each answer another tenth is in"
    assert result.count("batch.completed") == 1
    assert result[-6:] == [
        *("assignment.revised", "response.reviewed", "batch.paused", "batch.closed"),
        *("dataset.created", "job.ended"),
    ]
    assert len(set(ids(there))) == len(result)
    assert all(verified(secret, headers, body) for headers, body in there.letters)
    assert not any(verified(secret, headers, body + b" ") for headers, body in there.letters)


def _said() -> dict[str, Any]:
    return {"text": "", "paragraph": None, "start": None, "end": None, "option": None, "support": [], "facts": []}


def test_a_body_holds_ids_and_pseudonyms_and_nothing_that_people_said(project: Any, batch: Any, bob: Any) -> None:
    add(project)
    row = take(bob, fresh(batch))
    assert row is not None
    submit(row)
    event = WebhookEvent.objects.get()
    assert event.content["type"] == "assignment.submitted"
    assert event.content["data"] == {
        "project": "wells",
        "batch": "wells-1",
        "hit": row.hit.public_id,
        "assignment": row.public_id,
        "worker": bob.pseudonym,
        "revision": 1,
        "late": False,
        "counts": True,
    }


def test_decisions_on_pay_are_told_with_what_they_pay_and_each_once(project: Any, dataset: Any, bob: Any) -> None:
    add(project, kinds=["pay"])
    batch = paid_batch(project, dataset)
    good, bad = worked(bob, batch), worked(bob, batch)
    for _twice in range(2):
        assignment_approval.approve(good, source="auto")
        approval_queue.bonus(good, Decimal("1.50"), reason="Very careful.", form="one", user=None)
        assignment_approval.reject(bad, text="Bob guesses.")
    assignment_approval.approve(bad, override=True)
    result = [event.content for event in WebhookEvent.objects.order_by("pk")]
    whose = {row.public_id: {"hit": row.hit.public_id, "assignment": row.public_id} for row in (good, bad)}
    about = [
        {"project": "wells", "batch": "paid", "worker": bob.pseudonym, **whose[row.public_id]} for row in (good, bad)
    ]
    assert [(one["type"], one["data"]) for one in result] == [
        ("assignment.approved", about[0] | {"source": "auto", "amount": "0.25"}),
        ("bonus.paid", about[0] | {"kind": "bonus", "amount": "1.50"}),
        ("assignment.rejected", about[1] | {"source": "requester"}),
        ("assignment.approved", about[1] | {"source": "requester", "amount": "0.25"}),
    ]


def test_a_submission_costs_nothing_where_nobody_asks_and_one_query_where_somebody_does(
    project: Any, batch: Any, bob: Any
) -> None:
    counts = []
    for kinds in ([], ["job"], ["submission"]):
        if kinds:
            add(project, kinds=kinds)
        row = take(bob, fresh(batch))
        assert row is not None
        with CaptureQueriesContext(
            connection,
        ) as queries:
            submit(Assignment.objects.select_related("hit").get(pk=row.pk))
        counts.append(len(queries))
    assert counts == [counts[0], counts[0], counts[0] + 1]


def test_what_was_undone_is_not_told(project: Any, batch: Any, bob: Any) -> None:
    add(project)
    row = take(bob, fresh(batch))
    assert row is not None
    submit(row)
    submit(row)  # the same form again
    with pytest.raises(Refused):
        submit(row, key="other")
    assert WebhookEvent.objects.count() == 1


def test_whoever_dies_between_sending_and_noting_sends_the_same_id_again(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with hook() as there:
        webhook = add(project, there.url)
        deliveries.queue_test(webhook)
        with monkeypatch.context() as killed:
            killed.setattr(deliveries, "_note_taken", die)
            with pytest.raises(KeyboardInterrupt):
                deliveries.deliver_due()
        assert deliveries.deliver_due() == 0, "the lease is not over"
        later()
        assert deliveries.deliver_due() == 1
    assert len(ids(there)) == 2
    assert len(set(ids(there))) == 1
    assert there.letters[0][1] == there.letters[1][1], "the same bytes"


def test_one_that_is_not_taken_is_tried_again_and_holds_back_the_others_only_for_a_while(project: Any) -> None:
    with hook(500, 302) as there:
        webhook = add(project, there.url)
        first, second = (deliveries.queue_test(webhook) for _time in range(2))
        for _time in range(3):
            deliveries.deliver_due()
        assert ids(there) == [first.event.public_id]
        webhook.refresh_from_db()
        assert (webhook.failures, webhook.trouble) == (1, "the response was 500")
        later()
        deliveries.deliver_due()
        later()
        assert deliveries.deliver_due() == 2
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since, webhook.trouble) == (0, None, "")
    assert sorted(ids(there).count(one.event.public_id) for one in (first, second)) in ([1, 3], [2, 2])


def test_after_fifteen_tries_over_a_day_it_is_given_up_and_can_be_sent_by_hand(project: Any) -> None:
    waits = [protocol.wait_after(tries, 0.5) for tries in range(1, protocol.MOST_TRIES)]
    assert timedelta(hours=20) < sum(waits, timedelta()) < timedelta(hours=28)
    with hook(*[503] * protocol.MOST_TRIES) as there:
        delivery = deliveries.queue_test(add(project, there.url))
        for _time in range(protocol.MOST_TRIES + 2):
            deliveries.deliver_due()
            later()
        delivery.refresh_from_db()
        assert (delivery.state, delivery.status, len(there.letters)) == ("failed", 503, protocol.MOST_TRIES)
        assert subscriptions.try_again(delivery)
        assert deliveries.deliver_due() == 1
    assert not subscriptions.try_again(delivery), "it was delivered"
    assert len(set(ids(there))) == 1


@pytest.mark.parametrize(("status", "since"), [(500, timedelta(days=4)), (410, timedelta())])
def test_an_address_that_fails_for_days_or_is_gone_is_stopped_and_what_waits_is_kept(
    project: Any, status: int, since: timedelta
) -> None:
    with hook(status) as there:
        webhook = add(project, there.url)
        Webhook.objects.update(failing_since=timezone.now() - since, failures=1)
        deliveries.queue_test(webhook)
        deliveries.deliver_due()
        later()
        assert deliveries.deliver_due() == 0
        webhook.refresh_from_db()
        assert not webhook.active
        assert webhook.stopped_at
        assert Project.objects.get().webhook_kinds == ""
        subscriptions.change(webhook, url=webhook.url, kinds=["job"], note="", active=True)
        assert Project.objects.get().webhook_kinds == "job"
        assert deliveries.deliver_due() == 1


def test_each_that_asks_is_told_once_and_one_added_later_is_not_told_the_past(project: Any, batch: Any) -> None:
    add(project, kinds=["batch"])
    add(project, kinds=["batch", "job"])
    add(project, kinds=["job"])
    batch_launch.pause(fresh(batch))
    add(project, kinds=["batch"])
    for _time in range(2):
        deliveries.spread_due()
    assert list(Delivery.objects.order_by("pk").values_list("webhook__kinds", flat=True)) == [
        ["batch"],
        ["batch", "job"],
    ]


@pytest.mark.parametrize(
    "url",
    [
        *("http://10.0.0.1/", "http://169.254.169.254/latest", "http://[::ffff:127.0.0.1]/", "http://localhost/"),
        *("ftp://example.org/", "https://user:" + "word@example.org/", "https://example.org:25/", "nonsense"),
    ],
)
def test_an_address_inside_the_house_is_refused(project: Any, settings: Any, url: str) -> None:
    settings.LOCAL = False
    with pytest.raises(Refused):
        add(project, url)


def test_a_name_that_leads_inside_the_house_is_sent_nothing(
    project: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOCAL = False
    found: Callable[..., Any] = lambda *_args, **_more: [(2, 1, 6, "", ("192.168.0.7", 443))]  # noqa: E731
    monkeypatch.setattr(safe_http.socket, "getaddrinfo", found)
    delivery = deliveries.queue_test(add(project, "https://hooks.example.org/"))
    assert deliveries.deliver_due() == 0
    delivery.refresh_from_db()
    assert "inside this network" in delivery.trouble


def test_after_a_rotation_both_secrets_sign_for_a_day(project: Any) -> None:
    with hook() as there:
        webhook = add(project, there.url)
        old, new = webhook.secret, subscriptions.rotate(webhook)
        deliveries.test(webhook)
        Webhook.objects.update(old_until=timezone.now())
        deliveries.test(webhook)
    (first, body), (second, other) = there.letters
    assert [verified(old, first, body), verified(new, first, body)] == [True, True]
    assert [verified(old, second, other), verified(new, second, other)] == [False, True]


def test_what_is_wanted_anew_is_told_anew_and_old_events_are_forgotten(project: Any, batch: Any, bob: Any) -> None:
    add(project, kinds=["progress"])
    answer_all(bob, fresh(batch))
    jobs.run_due_work()
    assert [event.content["data"]["percent"] for event in WebhookEvent.objects.all()] == [50]
    assert BatchActivity.objects.get().announced_tenths == 5
    batch.hits.update(wanted=4)
    jobs.run_due_work()
    assert (BatchActivity.objects.get().announced_tenths, WebhookEvent.objects.count()) == (2, 1)
    WebhookEvent.objects.update(created_at=timezone.now() - timedelta(days=15))
    jobs.run_due_work()
    assert not WebhookEvent.objects.exists()
    assert not Delivery.objects.exists()


def test_a_secret_that_nothing_opens_any_more_is_told_and_can_be_replaced(project: Any, settings: Any) -> None:
    with hook() as there:
        webhook = add(project, there.url)
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another one, long enough to be a key of its own", []
        row = Webhook.objects.defer("secret", "old_secret").get()
        assert "another SECRET_KEY" in deliveries.test(row).trouble
        new = subscriptions.rotate(row)
        assert deliveries.test(Webhook.objects.get(pk=webhook.pk)).state == "delivered"
    assert verified(new, *there.letters[0])


def test_nothing_is_sent_for_a_project_that_was_deleted(project: Any) -> None:
    with hook() as there:
        deliveries.queue_test(add(project, there.url))
        Project.objects.update(removed_at=timezone.now())
        assert deliveries.deliver_due() == 0
    assert there.letters == []
