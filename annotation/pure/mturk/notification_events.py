"""Notifications of the MTurk protocol: destination, body, signature and retry delay."""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from annotation.pure.net import backoff
from annotation.pure.net.addresses import closed_port, origin_of

WEBHOOK, QUEUE, NOWHERE = "webhook", "queue", ""
VERSIONS: Final = ("2006-05-05", "2014-08-15")
PING: Final = "Ping"
QUEUE_NAME = re.compile(r".*/mturk/queues/([A-Za-z0-9_-]{1,80}(?:\.fifo)?)/?")
ARN = re.compile(r"arn:aws[a-z-]*:sns:[\w:.-]+")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
LONGEST: Final = 500  # characters of a destination
MOST_TRIES: Final = 12
FIRST_WAIT: Final = timedelta(seconds=15)
LONGEST_WAIT: Final = timedelta(hours=6)


class BadDestination(ValueError):
    """The destination is invalid; `str()` says why."""


@dataclass(frozen=True, slots=True)
class Route:
    """The route of a notification: to the URL of a WEBHOOK, into the QUEUE of that name, or NOWHERE (only stored)."""

    kind: str
    destination: str


def route(transport: str, destination: str) -> Route:
    """The route of a NotificationSpecification. Raises BadDestination.

    SNS with an http(s) address is a webhook. A topic of AWS's or an e-mail address is kept, and nothing is sent.
    """
    if len(destination) > LONGEST:
        raise BadDestination(f"a destination has at most {LONGEST} characters")
    if transport == "SQS":
        named = QUEUE_NAME.fullmatch(urlsplit(destination).path) if origin_of(destination) else None
        if not named:
            raise BadDestination("the only queues here are those under …/mturk/queues/<name> of this endpoint")
        return Route(QUEUE, named[1])
    if transport == "Email":
        if not EMAIL.fullmatch(destination):
            raise BadDestination("this is no e-mail address")
        return Route(NOWHERE, destination)
    if ARN.fullmatch(destination):
        return Route(NOWHERE, destination)
    if not origin_of(destination):
        raise BadDestination("the destination must be an http or https address, or the ARN of a topic")
    if (port := closed_port(destination)) is not None:
        raise BadDestination(f"nothing is sent to port {port}")
    return Route(WEBHOOK, destination)


def body(kind: str, at: datetime, *, version: str, customer: str, account: str, **ids: str) -> dict[str, Any]:
    """A notification, less its EventDocId; `ids` are HITTypeId, HITId and AssignmentId, as far as they apply."""
    event = {"EventType": kind, "EventTimestamp": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
    return {
        "Events": [event | {name: value for name, value in ids.items() if value}],
        "SourceAccount": account,
        "CustomerId": customer,
        "EventDocVersion": version,
    }


def customer_of(key: str) -> tuple[str, str]:
    """A requester's CustomerId and account number, made of a secret of theirs: always the same, and telling nothing."""
    digest = hmac.new(key.encode(), b"requester/notifications", hashlib.sha256).hexdigest()
    return f"A{digest[:13].upper()}", f"{int(digest, 16) % 10**12:012d}"


def signature(secret: str, timestamp: str, content: bytes) -> str:
    """X-Hopscribe-Signature: base64 of HMAC-SHA256 over the timestamp's characters and then the body as it is sent."""
    return base64.b64encode(hmac.digest(secret.encode(), timestamp.encode() + content, hashlib.sha256)).decode()


def wait_after(tries: int) -> timedelta:
    """The delay after `tries` failed attempts."""
    return backoff.wait_after(tries, first=FIRST_WAIT, longest=LONGEST_WAIT)
