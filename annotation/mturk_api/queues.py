"""Queues of notifications: the part of SQS's JSON protocol that clients need to fetch and delete messages."""

import hashlib
import json
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from annotation.mturk_api import service
from annotation.mturk_api.calls import JSON, Caller, RequestError
from annotation.mturk_api.flow import notifications
from annotation.mturk_api.models import Event
from annotation.pure.mturk import notification_events

if TYPE_CHECKING:
    from botocore.model import ServiceModel

PREFIX = "AmazonSQS."
SERVICE = "sqs"
MOST, HIDDEN, LONGEST_HIDDEN = 10, 30, 43_200  # messages at once; seconds
LONGEST_WAIT = 1.0  # seconds that an empty queue delays its response, so that clients do not poll without a pause


@cache
def _model() -> "ServiceModel":
    return service.load("sqs")


def answer(caller: Caller, name: str, body: JSON) -> JSON:
    """Carry out a queue operation. Raises RequestError."""
    if name not in OPERATIONS:
        raise RequestError(f"There is no operation {name[:60]} here.", kind="UnknownOperationException")
    return OPERATIONS[name](caller, service.read(_model().operation_model(name), body))


def _queue(caller: Caller, request: JSON) -> str:
    named = notification_events.QUEUE_NAME.fullmatch(urlsplit(request["QueueUrl"]).path)
    if not named or not notifications.exists(caller.project.pk, named[1]):
        raise RequestError("The specified queue does not exist.", kind="QueueDoesNotExist")
    return named[1]


def receive_message(caller: Caller, request: JSON) -> JSON:
    """Messages, which are hidden from other receivers for the visibility timeout."""
    queue = _queue(caller, request)
    most, hidden = request.get("MaxNumberOfMessages", 1), request.get("VisibilityTimeout", HIDDEN)
    if not 1 <= most <= MOST or not 0 <= hidden <= LONGEST_HIDDEN:
        raise RequestError(
            "MaxNumberOfMessages or VisibilityTimeout is out of its range.", kind="InvalidParameterValue"
        )
    wanted = {*request.get("AttributeNames", []), *request.get("MessageSystemAttributeNames", [])}
    limits = {"most": most, "hidden": timedelta(seconds=hidden)}
    found = notifications.receive(caller.project.pk, queue, **limits)
    if not found and request.get("WaitTimeSeconds", 0) > 0:
        time.sleep(min(request["WaitTimeSeconds"], LONGEST_WAIT))  # long polling, with one look at its end
        found = notifications.receive(caller.project.pk, queue, **limits)
    return {"Messages": [_message(event, wanted) for event in found]} if found else {}


def _message(event: Event, wanted: set[str]) -> JSON:
    body = json.dumps(event.content)
    about = {
        "ApproximateReceiveCount": str(event.tries),
        "SentTimestamp": str(int(event.created_at.timestamp() * 1000)),
    }
    attributes = {name: value for name, value in about.items() if {"All", name} & wanted}
    return {
        "MessageId": event.public_id,
        "ReceiptHandle": f"{event.public_id}.{event.tries}",
        "MD5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
        "Body": body,
    } | ({"Attributes": attributes} if attributes else {})


def delete_message(caller: Caller, request: JSON) -> JSON:
    """Delete a message; idempotent."""
    notifications.remove(caller.project.pk, _queue(caller, request), [_named(request["ReceiptHandle"])])
    return {}


def _named(receipt: str) -> str:
    public_id, dot, _tries = receipt.partition(".")
    if not dot:
        raise RequestError("The specified receipt handle is not valid.", kind="ReceiptHandleIsInvalid")
    return public_id


def delete_message_batch(caller: Caller, request: JSON) -> JSON:
    entries = request["Entries"]
    notifications.remove(
        caller.project.pk, _queue(caller, request), [_named(entry["ReceiptHandle"]) for entry in entries]
    )
    return {"Successful": [{"Id": entry["Id"]} for entry in entries], "Failed": []}


def get_queue_url(caller: Caller, request: JSON) -> JSON:
    """The URL of a queue by its name."""
    address = f"{caller.base_url}/mturk/queues/{request['QueueName']}"
    _queue(caller, {"QueueUrl": address})
    return {"QueueUrl": address}


def get_queue_attributes(caller: Caller, request: JSON) -> JSON:
    """The number of messages in a queue, including hidden ones."""
    count = notifications.waiting(caller.project.pk, _queue(caller, request))
    wanted = {"All", "ApproximateNumberOfMessages"} & set(request.get("AttributeNames", []))
    return {"Attributes": {"ApproximateNumberOfMessages": str(count)}} if wanted else {}


OPERATIONS: dict[str, Callable[[Caller, JSON], JSON]] = {
    "ReceiveMessage": receive_message,
    "DeleteMessage": delete_message,
    "DeleteMessageBatch": delete_message_batch,
    "GetQueueUrl": get_queue_url,
    "GetQueueAttributes": get_queue_attributes,
}
