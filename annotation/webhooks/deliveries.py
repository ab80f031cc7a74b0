"""Webhook deliveries: created for each subscriber, signed, posted, and retried.

An attempt holds a lease, and the delivery's id is the event's: if the process dies after sending, the same id is sent
again, by which receivers recognise it.
"""

from __future__ import annotations

import logging
import random
import time
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce, Now

from annotation.flow.notifications import outbound_http
from annotation.models import clock
from annotation.models.sealed import Unsealable
from annotation.webhooks import outbox, protocol
from annotation.webhooks.models import Delivery, Webhook, WebhookEvent
from annotation.webhooks.subscriptions import AWAKE, stop

LEASE = timedelta(minutes=2)  # for one attempt
KEPT = timedelta(days=14)
SECONDS = 20.0  # per sweep
SOME = 50
log = logging.getLogger(__name__)


def deliver_due(*, seconds: float = SECONDS) -> int:
    """Send due deliveries for so many seconds; returns how many succeeded. Safe to run twice."""
    spread_due()
    until = time.monotonic() + seconds
    awake = list(Webhook.objects.awake().order_by("?").values_list("pk", flat=True))
    return sum(_deliver_to(webhook, until) for webhook in awake)


def _deliver_to(webhook: int, until: float) -> int:
    """Send a webhook's due deliveries, oldest first, until one fails or time is up; returns how many succeeded."""
    due, done = Delivery.objects.filter(webhook=webhook, state=Delivery.State.DUE), 0
    while rows := list(due.filter(due_at__lte=clock.now()).order_by("due_at", "pk")[:SOME]):
        for row in rows:
            if time.monotonic() >= until:
                return done
            if not _lease(row):
                continue
            if not _try(row):
                return done
            done += 1
    return done


def spread_due(*, limit: int = 1000) -> None:
    """Create deliveries of new events for webhooks that were subscribed at the time."""
    asking: dict[int, list[Webhook]] = {}
    for event in WebhookEvent.objects.filter(spread=False).order_by("pk")[:limit]:
        if event.project_id not in asking:
            rows = Webhook.objects.filter(project=event.project_id, active=True).order_by("pk")
            asking[event.project_id] = list(rows.only("kinds", "created_at"))
        _spread(event, [one for one in asking[event.project_id] if event.kind in one.kinds])


@transaction.atomic
def _spread(event: WebhookEvent, asking: list[Webhook]) -> None:
    if WebhookEvent.objects.filter(pk=event.pk, spread=False).update(spread=True):
        present = set(Webhook.objects.filter(pk__in=[one.pk for one in asking]).values_list("pk", flat=True))
        here = [one for one in asking if one.pk in present and one.created_at <= event.created_at]
        Delivery.objects.bulk_create([Delivery(webhook=one, event=event, due_at=event.created_at) for one in here])


def _lease(delivery: Delivery) -> bool:
    """Lease the delivery for this attempt; False if another process did."""
    now = clock.now()
    due = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.DUE, due_at__lte=now, tries=delivery.tries)
    delivery.tries += 1
    return bool(due.update(due_at=now + LEASE, tries=delivery.tries))


def _try(delivery: Delivery) -> bool:
    sent = _post(delivery)
    if sent.taken:
        _note_taken(delivery, sent)
    else:
        _note_failure(delivery, sent)
    return sent.taken


def _post(delivery: Delivery) -> outbound_http.Sent:
    """One attempt. The event is loaded only now, so that a long queue does not fill the memory."""
    event = delivery.event
    body = protocol.body(event.content)
    try:
        webhook = Webhook.objects.get(pk=delivery.webhook_id)
        headers = protocol.headers(event.public_id, clock.now(), body, _secrets(webhook))
    except Unsealable as lost:
        return outbound_http.Sent(None, str(lost))
    return outbound_http.send(webhook.url, body, headers, loopback=settings.LOCAL)


def _secrets(webhook: Webhook) -> list[str]:
    """The signing secrets: the current one, and for a day after a rotation the former one."""
    both = webhook.old_until is not None and webhook.old_until > clock.now()
    return [webhook.secret, *([webhook.old_secret] if both and webhook.old_secret else [])]


@transaction.atomic
def _note_taken(delivery: Delivery, sent: outbound_http.Sent) -> None:
    delivery.move(Delivery.State.DELIVERED, status=sent.status, trouble="", ended_at=Now())
    Webhook.objects.filter(pk=delivery.webhook_id, failures__gt=0).update(**AWAKE)


def _note_failure(delivery: Delivery, sent: outbound_http.Sent) -> None:
    """Delay this delivery, longer each time, and all others to the URL, which is deactivated after days of failures."""
    log.info("a delivery to webhook %s was not taken: %s", delivery.webhook_id, sent.trouble)
    now, told = clock.now(), {"status": sent.status, "trouble": sent.trouble[:300]}
    webhook = Webhook.objects.filter(pk=delivery.webhook_id)
    with transaction.atomic():
        if delivery.tries >= protocol.MOST_TRIES:
            delivery.move(Delivery.State.FAILED, ended_at=now, **told)
        else:
            delivery.move(Delivery.State.DUE, due_at=now + protocol.wait_after(delivery.tries, random.random()), **told)
        failures = webhook.values_list("failures", flat=True).first() or 0
        rest = now + protocol.rest_after(failures + 1, random.random())
        since = Coalesce("failing_since", Value(now))
        webhook.update(failures=F("failures") + 1, failing_since=since, rests_until=rest, trouble=told["trouble"])
    for_good = sent.status == protocol.GONE
    if webhook.filter(Q() if for_good else Q(failing_since__lte=now - protocol.STOPPED_AFTER), active=True).exists():
        stop(delivery.webhook)


@transaction.atomic
def queue_test(webhook: Webhook, **how: Any) -> Delivery:
    """Queue a test delivery."""
    facts = {"webhook": webhook.public_id}
    event = outbox.write(webhook.project, "test", protocol.TEST, spread=True, **facts)
    return Delivery.objects.create(webhook=webhook, event=event, **{"due_at": clock.now(), **how})


def test(webhook: Webhook) -> Delivery:
    """Send a test delivery once, at once; it has the result."""
    delivery = queue_test(webhook, tries=1, due_at=clock.now() + LEASE)
    sent = _post(delivery)
    if sent.taken:
        _note_taken(delivery, sent)
    else:
        delivery.move(Delivery.State.FAILED, status=sent.status, trouble=sent.trouble[:300], ended_at=Now())
    delivery.refresh_from_db()
    return delivery


def forget_old() -> int:
    """Delete old events with their deliveries; returns how many rows."""
    return WebhookEvent.objects.filter(created_at__lte=clock.now() - KEPT).delete()[0]
