"""Delivery of MTurk notifications: posted and signed, with retries; or fetched from a queue."""

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import QuerySet

from annotation.flow.notifications import http_delivery
from annotation.flow.notifications.safe_http import NotSent
from annotation.models import AccessKey, clock
from annotation.mturk_api.models import Event, NotificationSetting
from annotation.pure.mturk import notification_events


def deliver_due() -> int:
    """Post due events; returns how many succeeded. A failing address is paused for a while. Safe to run twice."""
    rows = Event.objects.filter(transport=notification_events.WEBHOOK)
    return http_delivery.deliver(rows, ["project", "destination"], _attempt)


def _attempt(event: Event) -> bool:
    sent = http_delivery.post(event.content, lambda body: (event.destination, _signature(event, body)))
    last = event.tries >= notification_events.MOST_TRIES
    wait = None if last else notification_events.wait_after(event.tries)
    http_delivery.finish(event, sent, wait)
    if wait and not sent.taken:
        later = clock.now() + wait
        same = Event.objects.filter(project=event.project_id, destination=event.destination, state=Event.State.DUE)
        same.filter(due_at__lt=later).update(due_at=later)
    return sent.taken


def _signature(event: Event, body: bytes) -> dict[str, str]:
    """The headers that sign a notification. Raises NotSent if no key can."""
    key = _key(event)
    if key is None:
        raise NotSent("the project has no access key that could sign it")
    timestamp = str(int(clock.now().timestamp()))
    return {
        "X-Hopscribe-Event": event.public_id,
        "X-Hopscribe-Timestamp": timestamp,
        "X-Hopscribe-Key": key.key_id,
        "X-Hopscribe-Signature": notification_events.signature(key.secret, timestamp, body),
    }


def _key(event: Event) -> AccessKey | None:
    """The key of the notification setting; the project's newest if that one was revoked."""
    keys = AccessKey.objects.filter(project=event.project_id, revoked_at__isnull=True)
    return keys.filter(pk=event.key_id or 0).first() or keys.order_by("-pk").first()


def _messages(project_id: int, queue: str) -> QuerySet[Event]:
    return Event.objects.filter(project=project_id, transport=notification_events.QUEUE, destination=queue)


def receive(project_id: int, queue: str, *, most: int, hidden: timedelta) -> list[Event]:
    """Messages of a queue, which are hidden from other receivers for that long."""
    rows = http_delivery.due(_messages(project_id, queue))
    return [event for event in rows[:most] if http_delivery.lease(event, hidden)]


def remove(project_id: int, queue: str, public_ids: Iterable[str]) -> int:
    """Delete messages from a queue; returns how many existed."""
    due = _messages(project_id, queue).filter(public_id__in=list(public_ids), state=Event.State.DUE)
    return due.update(state=Event.State.DELIVERED)


def waiting(project_id: int, queue: str) -> int:
    """The number of messages in a queue."""
    return _messages(project_id, queue).filter(state=Event.State.DUE).count()


def exists(project_id: int, queue: str) -> bool:
    """Whether the project sends, or sent, to a queue of that name."""
    if _messages(project_id, queue).exists():
        return True
    rows = NotificationSetting.objects.filter(hit_type__project=project_id, transport="SQS")
    return any(
        notification_events.route("SQS", address).destination == queue
        for address in rows.values_list("destination", flat=True)
    )


def forget_old() -> int:
    """Delete old events; returns how many."""
    return http_delivery.forget_old(Event.objects.all())
