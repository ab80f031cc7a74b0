"""Notifications: where they are to go, and the events of a life."""

from __future__ import annotations

from typing import Any

import pytest
from django.test.utils import CaptureQueriesContext

from annotation.flow.work import leases
from annotation.mturk_api.flow import hit_expiry, notifications
from annotation.mturk_api.models import Event, NotificationSetting
from annotation.pure.batches import lifecycle
from tests.mturk_api.boto_clients import mturk, requester
from tests.mturk_api.hook import QUEUE, hit_of, spec
from tests.mturk_api.refusals import refused
from tests.mturk_api.worker_acts import TERMS, accept, pass_time, work, worker


@pytest.fixture
def key(db: None) -> Any:
    return requester()


@pytest.fixture
def client(key: Any) -> Any:
    return mturk(key)


@pytest.fixture
def hit_type(client: Any) -> str:
    return str(client.create_hit_type(**TERMS)["HITTypeId"])


def written() -> list[str]:
    rows = Event.objects.order_by("pk")
    return [row.content["Events"][0]["EventType"] for row in rows]


def test_settings_are_set_switched_off_and_on(client: Any, hit_type: str) -> None:
    assert set(client.update_notification_settings(HITTypeId=hit_type, Notification=spec(QUEUE, "SQS"))) == {
        "ResponseMetadata"
    }
    for active in (False, False, True):
        client.update_notification_settings(HITTypeId=hit_type, Active=active)
        assert NotificationSetting.objects.get().active is active
    client.update_notification_settings(
        HITTypeId=hit_type, Notification=spec("https://lab.example/", version="2006-05-05"), Active=False
    )
    row = NotificationSetting.objects.get()
    assert (row.destination, row.active) == ("https://lab.example/", False)


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({}, "Either Notification or Active"),
        ({"Active": True}, "has no notification specification"),
        ({"Notification": spec("https://lab.example/", version="2020-01-01")}, "version must be"),
        ({"Notification": spec("https://lab.example/", "SNS", "Ping")}, "Ping is for tests only"),
        ({"Notification": spec("https://sqs.us-east-1.amazonaws.com/1/q", "SQS")}, "only queues here"),
        ({"Notification": spec("file:///etc/passwd")}, "http or https address"),
        ({"Notification": spec("https://lab.example/", "Pigeon")}, "enum value set"),
        ({"Notification": spec("https://lab.example/", "SNS", "HITEaten")}, "enum value set"),
        ({"HITTypeId": "3NOTHING", "Active": True}, "does not exist"),
    ],
)
def test_wrong_settings_are_refused(client: Any, hit_type: str, members: dict[str, Any], text: str) -> None:
    assert text in refused(client.update_notification_settings, **({"HITTypeId": hit_type} | members))
    assert not NotificationSetting.objects.exists()


def test_another_requesters_type_has_no_settings(hit_type: str) -> None:
    stranger = mturk(requester("other"))
    refused(stranger.update_notification_settings, code="HITTypeDoesNotExist", HITTypeId=hit_type, Active=True)


def test_topics_of_aws_are_kept_and_nothing_is_sent(client: Any, hit_type: str) -> None:
    topic = spec("arn:aws:sns:us-east-1:047991105548:topic")
    client.update_notification_settings(HITTypeId=hit_type, Notification=topic)
    hit_of(client, hit_type)
    assert written() == []
    test = {"Notification": topic, "TestEventType": "Ping"}
    assert "nothing is sent" in refused(client.send_test_event_notification, code="InvalidTransportEndpoint", **test)


def test_a_hit_that_expires_while_somebody_works_is_told_at_once_and_reviewable_later(
    client: Any, key: Any, hit_type: str
) -> None:
    client.update_notification_settings(
        HITTypeId=hit_type, Notification=spec(QUEUE, "SQS", "HITExpired", "HITReviewable")
    )
    row = accept(worker(key.project, "bob"), hit_of(client, hit_type))
    client.update_expiration_for_hit(HITId=row.hit.public_id, ExpireAt=0)
    hit_expiry.notice_due()
    assert written() == ["HITExpired"]
    leases.return_assignment(row)
    hit_expiry.notice_due()
    assert written() == ["HITExpired", "HITReviewable"]


def test_what_happened_before_a_specification_changed_is_still_told(client: Any, hit_type: str) -> None:
    client.update_notification_settings(HITTypeId=hit_type, Notification=spec(QUEUE, "SQS", "HITExpired"))
    hit_of(client, hit_type)
    pass_time(3601)
    client.update_notification_settings(
        HITTypeId=hit_type, Notification=spec(QUEUE, "SQS", "HITExpired", "HITReviewable")
    )
    hit_expiry.notice_due()
    assert written() == ["HITExpired", "HITReviewable"]


def test_every_event_of_a_life_is_told_once(client: Any, key: Any, hit_type: str) -> None:
    client.update_notification_settings(HITTypeId=hit_type, Notification=spec(QUEUE, "SQS"))
    bob, carol, dan = (worker(key.project, name) for name in ("bob", "carol", "dan"))
    hit = hit_of(client, hit_type, MaxAssignments=2)
    leases.return_assignment(accept(bob, hit))
    leases.return_assignment(accept(carol, hit), to=lifecycle.EXPIRED)
    first, second = work(bob, hit), work(dan, hit)
    client.approve_assignment(AssignmentId=first.public_id)
    client.reject_assignment(AssignmentId=second.public_id, RequesterFeedback="")
    hit_expiry.notice_due()
    client.create_additional_assignments_for_hit(HITId=hit, NumberOfAdditionalAssignments=1)
    client.update_expiration_for_hit(HITId=hit, ExpireAt=0)
    for _time in range(2):
        hit_expiry.notice_due()
    client.delete_hit(HITId=hit)
    assert written() == [
        *("HITCreated", "AssignmentAccepted", "AssignmentReturned", "AssignmentAccepted", "AssignmentAbandoned"),
        *("AssignmentAccepted", "AssignmentSubmitted", "AssignmentAccepted", "AssignmentSubmitted", "HITReviewable"),
        *("AssignmentApproved", "AssignmentRejected", "HITExtended", "HITExpired", "HITReviewable", "HITDisposed"),
    ]
    result = Event.objects.get(content__contains="AssignmentApproved").content["Events"][0]
    assert (result["HITTypeId"], result["HITId"], result["AssignmentId"]) == (hit_type, hit, first.public_id)


def test_only_what_was_asked_for_is_told(client: Any, key: Any, hit_type: str) -> None:
    hit_of(client, hit_type)
    client.update_notification_settings(
        HITTypeId=hit_type, Notification=spec(QUEUE, "SQS", "AssignmentSubmitted", "HITExpired")
    )
    hit = hit_of(client, hit_type)
    work(worker(key.project, "bob"), hit)
    assert written() == ["AssignmentSubmitted"]
    client.update_notification_settings(HITTypeId=hit_type, Active=False)
    work(worker(key.project, "carol"), hit_of(client, hit_type))
    assert written() == ["AssignmentSubmitted"]


def test_what_was_over_before_anybody_asked_is_not_told(client: Any, key: Any, hit_type: str) -> None:
    old = hit_of(client, hit_type)
    work(worker(key.project, "bob"), old)
    pass_time(4000)
    client.update_notification_settings(HITTypeId=hit_type, Notification=spec(QUEUE, "SQS"))
    hit_expiry.notice_due()
    assert written() == []


def test_a_hit_that_expires_by_itself_is_told(client: Any, hit_type: str) -> None:
    client.update_notification_settings(
        HITTypeId=hit_type, Notification=spec(QUEUE, "SQS", "HITExpired", "HITReviewable")
    )
    hit_of(client, hit_type)
    hit_expiry.notice_due()
    assert written() == []
    pass_time(4000)
    for _time in range(2):
        hit_expiry.notice_due()
    assert written() == ["HITExpired", "HITReviewable"]


def test_work_that_did_not_come_by_the_wire_costs_no_query(key: Any, tmp_path: Any) -> None:
    from django.db import connection

    from tests.flow.acting import dataset_of, launched, take

    batch = launched(key.project, "own", dataset_of(key.project, tmp_path, name="own", size=1))
    assignment = take(worker(key.project, "bob"), batch)
    with CaptureQueriesContext(
        connection,
    ) as seen:
        notifications.record_event(notifications.ACCEPTED, assignment.hit, assignment)
    assert len(seen) == 0
