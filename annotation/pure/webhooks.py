"""Webhooks of a project: which events there are, what they say, how it is signed (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from annotation.pure import addresses, patience
from annotation.pure.signing import signature

PROGRESS, SUBMISSION, VERDICT = "progress", "submission", "verdict"
PAY, BATCH, JOB = "pay", "batch", "job"
KINDS: Final = (PROGRESS, SUBMISSION, VERDICT, PAY, BATCH, JOB)
TEST: Final = "webhook.test"
TYPES: Final[dict[str, str]] = {  # type of an event: the kind that one asks for
    "batch.progress": PROGRESS,
    "batch.completed": PROGRESS,
    "assignment.submitted": SUBMISSION,
    "assignment.revised": SUBMISSION,
    "answer.reviewed": VERDICT,
    "hit.voided": VERDICT,
    "hit.restored": VERDICT,
    "dataset.gathered": VERDICT,
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
LONGEST_REST: Final = timedelta(minutes=30)  # of an address that fails, while other deliveries wait for it
STOPPED_AFTER: Final = timedelta(days=3)  # of nothing but failures
BOTH_SIGN: Final = timedelta(hours=24)  # after a rotation
GONE: Final = 410
PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32


def secret(chance: bytes) -> str:
    """A secret as receivers' libraries take it, from random bytes."""
    return PREFIX + base64.b64encode(chance).decode()


def is_secret(text: str) -> bool:
    """Whether a text is a secret of the scheme: the prefix, and base64 of 24 to 64 bytes."""
    try:
        key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except ValueError:
        return False
    return text.startswith(PREFIX) and 24 <= len(key) <= 64


def headers(event: str, at: datetime, body: bytes, secrets: Iterable[str]) -> dict[str, str]:
    """What signs a delivery: one signature for each secret that is good now. Tries of one event share its id."""
    seconds = str(int(at.timestamp()))
    signed = f"{event}.{seconds}.".encode() + body
    keys = (base64.b64decode(one.removeprefix(PREFIX)) for one in secrets)
    return {
        "Content-Type": "application/json",
        "User-Agent": "Hopscribe",
        "webhook-id": event,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(f"v1,{signature(key, signed)}" for key in keys),
    }


def content(type: str, at: datetime, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What an event says."""
    moment = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"type": type, "timestamp": moment, "data": dict(facts)}


def body(content: Mapping[str, Any]) -> bytes:
    """A content as it is sent; the same has always the same bytes."""
    return json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode()


def can_be_called(url: str, *, loopback: bool = False) -> bool:
    """Whether something may be sent to an address that reads so. Where its name leads is judged at each sending."""
    if not addresses.origin_of(url) or addresses.closed_port(url) is not None:
        return False
    host = urlsplit(url).hostname or ""
    if loopback or not addresses.is_address(host):
        return loopback or host != "localhost"
    return addresses.is_public(host)


def wait_after(tries: int, chance: float) -> timedelta:
    """How long a delivery waits after so many tries in vain."""
    return patience.wait_after(tries, first=FIRST_WAIT, longest=LONGEST_WAIT, chance=chance)


def rest_after(failures: int, chance: float) -> timedelta:
    """How long an address is left in peace after so many failures in a row."""
    return patience.wait_after(failures, first=FIRST_WAIT, longest=LONGEST_REST, chance=chance)
