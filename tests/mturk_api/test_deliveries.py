"""Events on their way: webhooks that are signed and tried again, and queues."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from django.db.models import F
from django.utils import timezone

from annotation.mturk_api.flow import access_keys, notifications
from annotation.mturk_api.models import Event
from annotation.pure.mturk import notification_events
from tests.mturk_api.boto_clients import INSIDE, Inside, mturk, requester
from tests.mturk_api.hook import QUEUE, hit_of, hook, signed_by, spec
from tests.mturk_api.worker_acts import TERMS, work, worker


@pytest.fixture
def key(db: None) -> Any:
    return requester()


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


@pytest.fixture
def hit_type(client: Any) -> str:
    return str(client.create_hit_type(**TERMS)["HITTypeId"])


def due_now() -> None:
    Event.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def test_a_webhook_is_told_each_event_once_and_signed(client: Any, key: Any, hit_type: str) -> None:
    with hook() as there:
        client.update_notification_settings(HITTypeId=hit_type, Notification=spec(there.url))
        work(worker(key.project, "bob"), hit_of(client, hit_type))
        for _time in range(2):
            notifications.deliver_due()
    assert there.kinds() == ["HITCreated", "AssignmentAccepted", "AssignmentSubmitted", "HITReviewable"]
    assert len({doc for doc, _event in there.told()}) == 4
    for headers, body in there.letters:
        assert headers["X-Hopscribe-Key"] == key.key_id
        assert signed_by(key.secret, headers, body)
        assert not signed_by(key.secret, headers, body + b" ")
        assert headers["X-Hopscribe-Event"] == json.loads(body)["EventDocId"]
    assert not Event.objects.exclude(state="delivered").exists()


def test_a_webhook_that_fails_is_tried_again_with_the_same_document(client: Any, hit_type: str) -> None:
    with hook(500, 302, 200) as there:
        client.update_notification_settings(HITTypeId=hit_type, Notification=spec(there.url, "SNS", "HITCreated"))
        hit_of(client, hit_type)
        for tries in (1, 2, 3):
            notifications.deliver_due()
            notifications.deliver_due()  # too soon: nothing is due
            assert len(there.letters) == tries
            due_now()
    assert len({doc for doc, _event in there.told()}) == 1
    assert (Event.objects.get().state, Event.objects.get().tries) == ("delivered", 3)


def test_an_address_that_fails_is_left_alone_with_all_that_goes_there(client: Any, hit_type: str) -> None:
    with hook(500) as there:
        client.update_notification_settings(HITTypeId=hit_type, Notification=spec(there.url, "SNS", "HITCreated"))
        for _time in range(3):
            hit_of(client, hit_type)
        notifications.deliver_due()
        notifications.deliver_due()
        assert len(there.letters) == 1
        due_now()
        notifications.deliver_due()
    assert len(there.letters) == 4


def test_what_nobody_takes_is_given_up_in_the_end(client: Any, hit_type: str) -> None:
    with hook(*[500] * 99) as there:
        client.update_notification_settings(HITTypeId=hit_type, Notification=spec(there.url, "SNS", "HITCreated"))
        hit_of(client, hit_type)
        Event.objects.update(tries=notification_events.MOST_TRIES - 1)
        for _time in range(2):
            notifications.deliver_due()
            due_now()
    assert (len(there.letters), Event.objects.get().state) == (1, "failed")


def test_a_revoked_key_signs_nothing(client: Any, key: Any, hit_type: str) -> None:
    with hook() as there:
        client.update_notification_settings(HITTypeId=hit_type, Notification=spec(there.url, "SNS", "HITCreated"))
        hit_of(client, hit_type)
        access_keys.revoke(key)
        notifications.deliver_due()
        assert there.letters == []
        fresh = access_keys.make(key.project, key.user)
        due_now()
        notifications.deliver_due()
    headers, body = there.letters[0]
    assert headers["X-Hopscribe-Key"] == fresh.key_id
    assert signed_by(fresh.secret, headers, body)


def test_beyond_a_local_installation_nothing_goes_to_this_machine(client: Any, hit_type: str, settings: Any) -> None:
    settings.LOCAL = False
    with hook() as there:
        client.update_notification_settings(HITTypeId=hit_type, Notification=spec(there.url, "SNS", "HITCreated"))
        hit_of(client, hit_type)
        notifications.deliver_due()
    assert there.letters == []
    assert Event.objects.get().state == "due"


@pytest.mark.parametrize("kind", ["Ping", "HITCreated", "AssignmentSubmitted"])
def test_a_test_event_is_sent_whatever_the_specification_lists(client: Any, kind: str) -> None:
    with hook() as there:
        client.send_test_event_notification(Notification=spec(there.url, "SNS", "HITExpired"), TestEventType=kind)
        notifications.deliver_due()
    told = there.told()[0][1]
    assert told["EventType"] == kind
    assert ("HITId" in told, "AssignmentId" in told) == (kind != "Ping", kind.startswith("Assignment"))


def sqs(key: Any) -> Any:
    """boto3's client for queues, with the same address and keys."""
    client = boto3.client(
        "sqs",
        endpoint_url=INSIDE,
        region_name="us-east-1",
        aws_access_key_id=key.key_id,
        aws_secret_access_key=key.secret,
        config=Config(retries={"total_max_attempts": 1}),
    )
    client._endpoint.http_session = Inside()
    return client


def test_a_queue_gives_each_message_until_it_is_deleted(client: Any, key: Any, hit_type: str) -> None:
    client.update_notification_settings(HITTypeId=hit_type, Notification=spec(QUEUE, "SQS", "HITCreated"))
    made = [hit_of(client, hit_type) for _time in range(3)]
    queue = sqs(key)
    got = queue.receive_message(QueueUrl=QUEUE, MaxNumberOfMessages=2, AttributeNames=["All"])["Messages"]
    assert [json.loads(one["Body"])["Events"][0]["HITId"] for one in got] == made[:2]
    assert got[0]["Attributes"]["ApproximateReceiveCount"] == "1"
    rest = queue.receive_message(QueueUrl=QUEUE, MaxNumberOfMessages=10)["Messages"]
    assert [json.loads(one["Body"])["Events"][0]["HITId"] for one in rest] == made[2:], "the others are hidden"
    assert "Messages" not in queue.receive_message(QueueUrl=QUEUE)
    for _time in range(2):
        queue.delete_message(QueueUrl=QUEUE, ReceiptHandle=got[0]["ReceiptHandle"])
    queue.delete_message_batch(QueueUrl=QUEUE, Entries=[{"Id": "1", "ReceiptHandle": rest[0]["ReceiptHandle"]}])
    Event.objects.filter(state="due").update(due_at=F("due_at") - timedelta(seconds=31))
    again = queue.receive_message(QueueUrl=QUEUE, MaxNumberOfMessages=10)["Messages"]
    assert [one["MessageId"] for one in again] == [got[1]["MessageId"]]
    counts = queue.get_queue_attributes(QueueUrl=QUEUE, AttributeNames=["All"])["Attributes"]
    assert counts == {"ApproximateNumberOfMessages": "1"}
    assert queue.get_queue_url(QueueName="hits")["QueueUrl"].endswith("/mturk/queues/hits")
    assert notifications.deliver_due() == 0


def test_a_queue_is_its_requesters_own_and_has_its_own_messages(client: Any, key: Any, hit_type: str) -> None:
    client.update_notification_settings(HITTypeId=hit_type, Notification=spec(QUEUE, "SQS", "HITCreated"))
    hit_of(client, hit_type)
    other = str(client.create_hit_type(**TERMS | {"Title": "Other"})["HITTypeId"])
    client.update_notification_settings(HITTypeId=other, Notification=spec(QUEUE + "-2", "SQS", "HITCreated"))
    hit_of(client, other)
    assert len(sqs(key).receive_message(QueueUrl=QUEUE, MaxNumberOfMessages=10)["Messages"]) == 1
    stranger = sqs(requester("other"))
    with pytest.raises(stranger.exceptions.QueueDoesNotExist):
        stranger.receive_message(QueueUrl=QUEUE)


def test_a_queues_requests_are_held_to_the_rules(client: Any, key: Any, hit_type: str) -> None:
    client.update_notification_settings(HITTypeId=hit_type, Notification=spec(QUEUE, "SQS"))
    queue = sqs(key)
    assert "Messages" not in queue.receive_message(QueueUrl=QUEUE)
    with pytest.raises(queue.exceptions.ReceiptHandleIsInvalid):
        queue.delete_message(QueueUrl=QUEUE, ReceiptHandle="nonsense")
    with pytest.raises(ClientError, match="out of its range"):
        queue.receive_message(QueueUrl=QUEUE, MaxNumberOfMessages=11)
    with pytest.raises(ClientError, match="There is no operation PurgeQueue"):
        queue.purge_queue(QueueUrl=QUEUE)


def test_old_events_are_forgotten(client: Any, hit_type: str) -> None:
    client.update_notification_settings(HITTypeId=hit_type, Notification=spec(QUEUE, "SQS", "HITCreated"))
    hit_of(client, hit_type)
    assert notifications.forget_old() == 0
    Event.objects.update(created_at=timezone.now() - timedelta(days=15))
    assert notifications.forget_old() == 1
