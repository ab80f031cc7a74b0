"""Delivery of stored messages over HTTP, with leases, exponential backoff and a maximum number of attempts.

A row has `state`, `tries` and `due_at`. Each attempt holds a lease and is fenced by its number. If the process dies
after sending, the same message is sent again when the lease is over, and receivers recognise it by its id.
"""

import json
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from annotation.flow.notifications import safe_http
from annotation.flow.notifications.safe_http import NotSent, Sent
from annotation.models import clock
from annotation.models.sealed import Unsealable

DUE, DELIVERED, FAILED = "due", "delivered", "failed"
LEASE = timedelta(minutes=2)  # for one attempt
KEPT = timedelta(days=14)  # events, whether delivered or not
SECONDS = 20.0  # per run
SOME = 50
log = logging.getLogger(__name__)


def deliver(
    rows: QuerySet[Any], address: Sequence[str], attempt: Callable[[Any], bool], *, seconds: float = SECONDS
) -> int:
    """Attempt due rows for `seconds`; returns the number delivered. Safe to run twice.

    `address` names the columns that rows of one address share: it gets them in order until one fails. Addresses come
    in random order, so that a slow one does not starve the others.
    """
    until = time.monotonic() + seconds
    addresses = list(due(rows).order_by().values(*address).distinct())
    random.shuffle(addresses)
    return sum(_deliver_to(rows.filter(**one), attempt, until) for one in addresses)


def _deliver_to(rows: QuerySet[Any], attempt: Callable[[Any], bool], until: float) -> int:
    done = 0
    while found := list(due(rows)[:SOME]):
        for row in found:
            if time.monotonic() >= until:
                return done
            if not lease(row):
                continue
            if not attempt(row):
                return done
            done += 1
    return done


def due(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The due rows, oldest first."""
    return rows.filter(state=DUE, due_at__lte=clock.now()).order_by("due_at", "pk")


def lease(row: Any, duration: timedelta = LEASE) -> bool:
    """Begin the next attempt; False if another process did."""
    now = clock.now()
    due = type(row).objects.filter(pk=row.pk, state=DUE, due_at__lte=now, tries=row.tries)
    row.tries += 1
    return bool(due.update(due_at=now + duration, tries=row.tries))


def post(content: Any, sign: Callable[[bytes], tuple[str, Mapping[str, str]]]) -> Sent:
    """Post content as JSON, of which equal contents give equal bytes; `sign` gives the URL and the headers of a body.

    If it raises NotSent or Unsealable, nothing is sent.
    """
    body = json.dumps(content, ensure_ascii=True, separators=(",", ":")).encode()
    try:
        url, signed = sign(body)
    except (NotSent, Unsealable) as unsigned:
        return Sent(None, str(unsigned))
    headers = {"Content-Type": "application/json", "User-Agent": "Hopscribe", **signed}
    return safe_http.send(url, body, headers, loopback=settings.LOCAL)


def finish(row: Any, sent: Sent, wait: timedelta | None = None, **stamps: Any) -> None:
    """Record how an attempt ended, unless another one was begun since. A failure without a wait is final."""
    state = DELIVERED if sent.taken else DUE if wait else FAILED
    if wait and not sent.taken:
        stamps["due_at"] = clock.now() + wait
    if not sent.taken:
        log.info("%s %s was not delivered: %s", row._meta.model_name, row.pk, sent.trouble)
    type(row).objects.filter(pk=row.pk, state=DUE, tries=row.tries).update(state=state, **stamps)


def forget_old(events: QuerySet[Any]) -> int:
    """Delete old events with their deliveries; returns how many rows."""
    return events.filter(created_at__lte=clock.now() - KEPT).delete()[0]
