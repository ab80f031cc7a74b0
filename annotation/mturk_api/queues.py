"""Queues of notifications: as much of SQS's JSON protocol as a client needs to fetch its messages and remove them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from urllib.parse import urlsplit

from botocore.loaders import Loader
from botocore.model import ServiceModel

from annotation.flow import delivering
from annotation.models import Event
from annotation.mturk_api import service
from annotation.mturk_api.errors import WireError
from annotation.mturk_api.registry import JSON, Caller
from annotation.pure import events

PREFIX = "AmazonSQS."
SERVICE = "sqs"
MOST, HIDDEN, LONGEST_HIDDEN = 10, 30, 43_200  # messages at once; seconds
LONGEST_WAIT = 1.0  # seconds that an empty queue keeps its client waiting, so that it does not ask without a pause


@cache
def _model() -> ServiceModel:
    return ServiceModel(Loader().load_service_model("sqs", "service-2"), "sqs")


def answer(caller: Caller, name: str, body: JSON) -> JSON:
    """Carry one of the operations out. Raises WireError."""
    if name not in OPERATIONS:
        raise WireError(f"There is no operation {name[:60]} here.", kind="UnknownOperationException")
    return OPERATIONS[name](caller, service.read(_model().operation_model(name), body))


def _queue(caller: Caller, request: JSON) -> str:
    named = events.QUEUE_NAME.fullmatch(urlsplit(request["QueueUrl"]).path)
    if not named or not delivering.exists(caller.project.pk, named[1]):
        raise WireError("The specified queue does not exist.", kind="QueueDoesNotExist")
    return named[1]


def receive_message(caller: Caller, request: JSON) -> JSON:
    """Messages that nobody else is looking at, hidden from others for the visibility timeout."""
    queue = _queue(caller, request)
    most, hidden = request.get("MaxNumberOfMessages", 1), request.get("VisibilityTimeout", HIDDEN)
    if not 1 <= most <= MOST or not 0 <= hidden <= LONGEST_HIDDEN:
        raise WireError("MaxNumberOfMessages or VisibilityTimeout is out of its range.", kind="InvalidParameterValue")
    wanted = {*request.get("AttributeNames", []), *request.get("MessageSystemAttributeNames", [])}
    limits = {"most": most, "hidden": timedelta(seconds=hidden)}
    found = delivering.receive(caller.project.pk, queue, **limits)
    if not found and request.get("WaitTimeSeconds", 0) > 0:
        time.sleep(min(request["WaitTimeSeconds"], LONGEST_WAIT))
        found = delivering.receive(caller.project.pk, queue, **limits)
    return {"Messages": [_message(event, wanted) for event in found]} if found else {}


def _message(event: Event, wanted: set[str]) -> JSON:
    body = json.dumps(event.content)
    about = {
        "ApproximateReceiveCount": str(event.tries),
        "SentTimestamp": str(int(event.created_at.timestamp() * 1000)),
    }
    told = {name: value for name, value in about.items() if {"All", name} & wanted}
    return {
        "MessageId": event.public_id,
        "ReceiptHandle": f"{event.public_id}.{event.tries}",
        "MD5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
        "Body": body,
    } | ({"Attributes": told} if told else {})


def delete_message(caller: Caller, request: JSON) -> JSON:
    """Remove a message for good; what was removed before stays so."""
    delivering.remove(caller.project.pk, _queue(caller, request), [_named(request["ReceiptHandle"])])
    return {}


def _named(receipt: str) -> str:
    public_id, dot, _tries = receipt.partition(".")
    if not dot:
        raise WireError("The specified receipt handle is not valid.", kind="ReceiptHandleIsInvalid")
    return public_id


def delete_message_batch(caller: Caller, request: JSON) -> JSON:
    entries = request["Entries"]
    delivering.remove(caller.project.pk, _queue(caller, request), [_named(entry["ReceiptHandle"]) for entry in entries])
    return {"Successful": [{"Id": entry["Id"]} for entry in entries], "Failed": []}


def get_queue_url(caller: Caller, request: JSON) -> JSON:
    """The address of a queue by its name."""
    address = f"{caller.base_url}/mturk/queues/{request['QueueName']}"
    _queue(caller, {"QueueUrl": address})
    return {"QueueUrl": address}


def get_queue_attributes(caller: Caller, request: JSON) -> JSON:
    """How many messages a queue holds, those included that somebody is looking at."""
    count = delivering.waiting(caller.project.pk, _queue(caller, request))
    wanted = {"All", "ApproximateNumberOfMessages"} & set(request.get("AttributeNames", []))
    return {"Attributes": {"ApproximateNumberOfMessages": str(count)}} if wanted else {}


OPERATIONS: dict[str, Callable[[Caller, JSON], JSON]] = {
    "ReceiveMessage": receive_message,
    "DeleteMessage": delete_message,
    "DeleteMessageBatch": delete_message_batch,
    "GetQueueUrl": get_queue_url,
    "GetQueueAttributes": get_queue_attributes,
}
