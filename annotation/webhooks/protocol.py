"""The webhook protocol: event types, their content, and signatures (Standard Webhooks 1.0)."""

import base64
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

import standardwebhooks

from annotation.pure.net import addresses, backoff

PROGRESS, SUBMISSION, RESULTS = "progress", "submission", "verdict"  # as stored
PAY, BATCH, JOB = "pay", "batch", "job"
KINDS: Final = (PROGRESS, SUBMISSION, RESULTS, PAY, BATCH, JOB)
NAMES: Final = {kind: kind for kind in KINDS} | {RESULTS: "aggregate"}  # in the API; stored ones have not changed
TEST: Final = "webhook.test"
TYPES: Final[dict[str, str]] = {  # type of an event: the kind to subscribe to
    "batch.progress": PROGRESS,
    "batch.completed": PROGRESS,
    "assignment.submitted": SUBMISSION,
    "assignment.revised": SUBMISSION,
    "response.reviewed": RESULTS,
    "hit.excluded": RESULTS,
    "hit.restored": RESULTS,
    "dataset.created": RESULTS,
    "assignment.approved": PAY,
    "assignment.rejected": PAY,
    "bonus.paid": PAY,
    "batch.opened": BATCH,
    "batch.paused": BATCH,
    "batch.closed": BATCH,
    "job.ended": JOB,
}

MOST_TRIES: Final = 15  # over about a day
FIRST_WAIT: Final = timedelta(seconds=10)
LONGEST_WAIT: Final = timedelta(hours=6)
LONGEST_REST: Final = timedelta(minutes=30)  # of a URL that fails, while its deliveries wait
STOPPED_AFTER: Final = timedelta(days=3)  # of failures only
BOTH_SIGN: Final = timedelta(hours=24)  # after a rotation
GONE: Final = 410
PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32


def secret(chance: bytes) -> str:
    """A secret in the form of Standard Webhooks, from random bytes."""
    return PREFIX + base64.b64encode(chance).decode()


def is_secret(text: str) -> bool:
    """Whether a text is a valid secret: the prefix, and base64 of 24 to 64 bytes."""
    try:
        key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except ValueError:
        return False
    return text.startswith(PREFIX) and 24 <= len(key) <= 64


def headers(event: str, at: datetime, body: bytes, secrets: Iterable[str]) -> dict[str, str]:
    """The headers that sign a delivery with each secret. Attempts of one event share its id."""
    at = at.astimezone(UTC)  # the library takes any other time zone for UTC
    return {
        "webhook-id": event,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(standardwebhooks.Webhook(one).sign(event, at, body.decode()) for one in secrets),
    }


def content(type: str, at: datetime, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The content of an event."""
    moment = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"type": type, "timestamp": moment, "data": dict(facts)}


def can_be_called(url: str, *, loopback: bool) -> bool:
    """Whether a URL is acceptable. Its addresses are checked at each attempt."""
    if not addresses.origin_of(url) or addresses.closed_port(url) is not None:
        return False
    host = urlsplit(url).hostname or ""
    if loopback or not addresses.is_address(host):
        return loopback or host != "localhost"
    return addresses.is_public(host)


def wait_after(failures: int, chance: float, *, longest: timedelta = LONGEST_WAIT) -> timedelta:
    """The delay after so many failed attempts, or the pause of a URL after so many consecutive failures."""
    return backoff.wait_after(failures, first=FIRST_WAIT, longest=longest, chance=chance)
