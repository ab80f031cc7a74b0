"""Delivery of MTurk notifications: posted and signed, with retries; or fetched from a queue."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db.models import F

from annotation.flow.notifications import outbound_http
from annotation.flow.notifications.outbound_http import NotSent
from annotation.models import AccessKey, clock
from annotation.mturk_api.models import Event, NotificationSetting
from annotation.pure.mturk import notification_events

LEASE = timedelta(minutes=2)  # for one attempt
KEPT = timedelta(days=14)  # unfetched messages in a queue, and delivered events
log = logging.getLogger(__name__)


def deliver_due(*, limit: int = 20) -> int:
    """Post due events; returns how many succeeded. A failing address is paused for a while. Safe to run twice."""
    rows = Event.objects.filter(transport=notification_events.WEBHOOK, state=Event.State.DUE, due_at__lte=clock.now())
    failed: set[str] = set()
    done = 0
    for event in rows.order_by("due_at", "pk")[:limit]:
        if event.destination in failed or not _lease(event):
            continue
        if _deliver(event):
            done += 1
        else:
            failed.add(event.destination)
    return done


def _lease(event: Event) -> bool:
    """Lease the event for this attempt; False if another process did."""
    mine = Event.objects.filter(pk=event.pk, state=Event.State.DUE, due_at=event.due_at)
    event.tries += 1
    return bool(mine.update(due_at=clock.now() + LEASE, tries=F("tries") + 1))


def _deliver(event: Event) -> bool:
    try:
        sent = outbound_http.send(event.destination, *_notification(event), loopback=settings.LOCAL)
    except NotSent as unsigned:
        sent = outbound_http.Sent(None, str(unsigned))
    if sent.taken:
        return event.move(Event.State.DELIVERED)
    log.info("event %s was not delivered: %s", event.public_id, sent.trouble)
    if event.tries >= notification_events.MOST_TRIES:
        event.move(Event.State.FAILED)
        return False
    later = clock.now() + notification_events.wait_after(event.tries)
    same = Event.objects.filter(project=event.project_id, destination=event.destination, state=Event.State.DUE)
    same.filter(pk=event.pk).update(due_at=later)
    same.filter(due_at__lt=later).update(due_at=later)
    return False


def _notification(event: Event) -> tuple[bytes, dict[str, str]]:
    """The body and the headers. Raises NotSent if no key can sign it."""
    key = _key(event)
    if key is None:
        raise NotSent("the project has no access key that could sign it")
    body = json.dumps(event.content, ensure_ascii=True, separators=(",", ":")).encode()
    timestamp = str(int(clock.now().timestamp()))
    return body, {
        "Content-Type": "application/json",
        "User-Agent": "Hopscribe",
        "X-Hopscribe-Event": event.public_id,
        "X-Hopscribe-Timestamp": timestamp,
        "X-Hopscribe-Key": key.key_id,
        "X-Hopscribe-Signature": notification_events.signature(key.secret, timestamp, body),
    }


def _key(event: Event) -> AccessKey | None:
    """The key of the notification setting; the project's newest if that one was revoked."""
    keys = AccessKey.objects.filter(project=event.project_id, revoked_at__isnull=True)
    return keys.filter(pk=event.key_id).first() or keys.order_by("-pk").first()


def receive(project_id: int, queue: str, *, most: int, hidden: timedelta) -> list[Event]:
    """Messages of a queue, which are hidden from other receivers for that long."""
    now = clock.now()
    rows = Event.objects.filter(project=project_id, transport=notification_events.QUEUE, destination=queue)
    found = []
    for event in rows.filter(state=Event.State.DUE, due_at__lte=now).order_by("due_at", "pk")[:most]:
        mine = Event.objects.filter(pk=event.pk, state=Event.State.DUE, due_at=event.due_at)
        if mine.update(due_at=now + hidden, tries=F("tries") + 1):
            event.tries += 1
            found.append(event)
    return found


def remove(project_id: int, queue: str, public_ids: Iterable[str]) -> int:
    """Delete messages from a queue; returns how many existed."""
    rows = Event.objects.filter(project=project_id, transport=notification_events.QUEUE, destination=queue)
    due = rows.filter(public_id__in=list(public_ids), state=Event.State.DUE)
    return due.update(state=Event.State.DELIVERED)


def waiting(project_id: int, queue: str) -> int:
    """The number of messages in a queue."""
    rows = Event.objects.filter(project=project_id, transport=notification_events.QUEUE, destination=queue)
    return rows.filter(state=Event.State.DUE).count()


def exists(project_id: int, queue: str) -> bool:
    """Whether the project sends, or sent, to a queue of that name."""
    if Event.objects.filter(project=project_id, transport=notification_events.QUEUE, destination=queue).exists():
        return True
    rows = NotificationSetting.objects.filter(hit_type__project=project_id, transport="SQS")
    return any(
        notification_events.route("SQS", address).destination == queue
        for address in rows.values_list("destination", flat=True)
    )


def forget_old() -> int:
    """Delete old events; returns how many."""
    return Event.objects.filter(created_at__lte=clock.now() - KEPT).delete()[0]
