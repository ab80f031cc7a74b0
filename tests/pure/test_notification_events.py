"""Where notifications may go, what they say, and how they are signed."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import pytest

from annotation.pure.mturk import notification_events
from annotation.pure.mturk.notification_events import NOWHERE, QUEUE, WEBHOOK, BadDestination, Route


@pytest.mark.parametrize(
    ("transport", "destination", "route"),
    [
        ("SNS", "https://lab.example/hook?x=1", Route(WEBHOOK, "https://lab.example/hook?x=1")),
        ("SNS", "http://lab.example:8080/", Route(WEBHOOK, "http://lab.example:8080/")),
        ("SNS", "arn:aws:sns:us-east-1:047991105548:topic", Route(NOWHERE, "arn:aws:sns:us-east-1:047991105548:topic")),
        ("Email", "rita@lab.example", Route(NOWHERE, "rita@lab.example")),
        ("SQS", "https://us.example/mturk/queues/hits", Route(QUEUE, "hits")),
        ("SQS", "http://127.0.0.1:8001/mturk/queues/a_b-C.fifo/", Route(QUEUE, "a_b-C.fifo")),
    ],
)
def test_a_destination_is_a_webhook_a_queue_or_only_stored(transport: str, destination: str, route: Route) -> None:
    assert notification_events.route(transport, destination) == route


@pytest.mark.parametrize(
    ("transport", "destination"),
    [
        ("SQS", "https://sqs.us-east-1.amazonaws.com/1234/queue"),
        ("SQS", "/mturk/queues/hits"),
        ("SQS", "https://us.example/mturk/queues/a b"),
        ("SQS", "https://us.example/mturk/queues/"),
        ("SNS", "ftp://lab.example/"),
        ("SNS", "file:///etc/passwd"),
        ("SNS", "gopher://lab.example/"),
        ("SNS", "https://user@lab.example/"),
        ("SNS", "https://lab.example:22/"),
        ("SNS", "https://lab.example:99999/"),
        ("SNS", "https://lab.example/\r\nX: y"),
        ("SNS", "arn:aws:sqs:us-east-1:1:queue"),
        ("SNS", "https://lab.example/" + "a" * 500),
        ("Email", "nobody"),
    ],
)
def test_what_is_no_destination_is_refused(transport: str, destination: str) -> None:
    with pytest.raises(BadDestination):
        notification_events.route(transport, destination)


def test_a_notification_says_what_clients_were_sent() -> None:
    at = datetime(2019, 8, 9, 21, 17, 16, 900, tzinfo=UTC)
    result = notification_events.body(
        "HITCreated", at, version="2014-08-15", customer="AUYK", account="047991105548", HITTypeId="3T", HITId="3H"
    )
    assert result == {
        "Events": [
            {"EventType": "HITCreated", "EventTimestamp": "2019-08-09T21:17:16Z", "HITTypeId": "3T", "HITId": "3H"}
        ],
        "SourceAccount": "047991105548",
        "CustomerId": "AUYK",
        "EventDocVersion": "2014-08-15",
    }


def test_a_signature_is_that_of_the_timestamp_and_the_body() -> None:
    expected = hmac.new(b"secret", b'1700000000{"a":1}', hashlib.sha256).digest()
    assert base64.b64decode(notification_events.signature("secret", "1700000000", b'{"a":1}')) == expected


def test_a_requester_has_one_customer_id() -> None:
    customer, account = notification_events.customer_of("k" * 64)
    assert (customer, account) == notification_events.customer_of("k" * 64) != notification_events.customer_of("l" * 64)
    assert customer.isalnum()
    assert customer.startswith("A")
    assert (len(account), account.isdigit()) == (12, True)


def test_tries_come_ever_later_up_to_a_limit() -> None:
    waits = [notification_events.wait_after(tries) for tries in range(1, 40)]
    assert waits[:3] == [timedelta(seconds=15), timedelta(seconds=30), timedelta(seconds=60)]
    assert waits == sorted(waits)
    assert waits[-1] == timedelta(hours=6)
