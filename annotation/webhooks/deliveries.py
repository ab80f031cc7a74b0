"""Webhook events, written in the transaction of what they report; and their deliveries, signed, posted and retried.

`Project.webhook_kinds` has the subscribed kinds and is loaded with the project: without subscribers nothing is queried.
No event contains a response, gold, a name or an address; people are pseudonyms. A delivery's id is its event's.
"""

import random
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F, Q, Sum, Value
from django.db.models.functions import Coalesce

from annotation.flow.lists import ListFilter
from annotation.flow.notifications import http_delivery
from annotation.flow.notifications.safe_http import Sent
from annotation.models import Batch, BatchActivity, Project, clock
from annotation.pure.setting_fields import setting
from annotation.webhooks import protocol
from annotation.webhooks.models import Delivery, Webhook, WebhookEvent
from annotation.webhooks.subscriptions import HEALTHY, stop


def is_subscribed(project: Project, kind: str) -> bool:
    """Whether a webhook of the project subscribes to this kind."""
    return kind in project.webhook_kinds.split()


def queue_event(project: Project, type: str, /, **facts: Any) -> None:
    """Write an event if its kind is subscribed to."""
    if is_subscribed(project, protocol.TYPES[type]):
        write(project, protocol.TYPES[type], type, **facts)


def write(project: Project, kind: str, type: str, /, *, spread: bool = False, **facts: Any) -> WebhookEvent:
    """Write an event; `spread`: its deliveries exist already."""
    content = protocol.content(type, clock.now(), {"project": project.slug, **facts})
    return WebhookEvent.objects.create(project=project, kind=kind, content=content, spread=spread)


def notice_due() -> int:
    """Write progress events for each tenth of the wanted responses; returns the number of batches with one."""
    subscribed = Project.objects.filter(webhook_kinds__contains=protocol.PROGRESS)
    under_way = [Batch.State.OPEN, Batch.State.PAUSED]
    rows = Batch.objects.filter(project__in=subscribed, state__in=under_way).select_related("project")
    return sum(notice(batch) for batch in rows)


@transaction.atomic
def notice(batch: Batch) -> bool:
    """Write a progress event if another tenth is complete since the last one; returns whether it was.

    If assignments were added, tenths that became incomplete are reported again.
    """
    if not is_subscribed(batch.project, protocol.PROGRESS):
        return False
    hits = batch.hits.filter(excluded_at__isnull=True, check_item=False)
    counts = hits.aggregate(wanted=Sum("wanted", default=0), done=Sum("done", default=0))
    tenths = 10 * counts["done"] // counts["wanted"] if counts["wanted"] else 0
    before = BatchActivity.objects.get_or_create(batch=batch)[0].announced_tenths
    unannounced = BatchActivity.objects.filter(batch=batch, announced_tenths=before)
    is_first = tenths != before and unannounced.update(announced_tenths=tenths)
    if not is_first or tenths < before:
        return False
    type = "batch.completed" if tenths == 10 else "batch.progress"
    queue_event(batch.project, type, batch=batch.slug, percent=10 * tenths, **counts)
    return True


SPREAD_AT_ONCE = 1000  # events of a run


@dataclass(frozen=True)
class DeliveryFilter(ListFilter):
    """Filters of deliveries."""

    size = 25

    state: str = setting("", choices=dict(Delivery.State.choices), column="state")


def deliver_due(*, seconds: float = http_delivery.SECONDS) -> int:
    """Send due deliveries for so many seconds; returns how many succeeded. Safe to run twice."""
    spread_due()
    rows = Delivery.objects.filter(webhook__in=Webhook.objects.awake())
    return http_delivery.deliver(rows, ["webhook"], _attempt, seconds=seconds)


def spread_due() -> None:
    """Create deliveries of new events for webhooks that were subscribed at the time."""
    webhooks: dict[int, list[Webhook]] = {}
    for event in WebhookEvent.objects.filter(spread=False).order_by("pk")[:SPREAD_AT_ONCE]:
        if event.project_id not in webhooks:
            rows = Webhook.objects.filter(project=event.project_id, active=True).order_by("pk")
            webhooks[event.project_id] = list(rows.only("kinds", "created_at"))
        _spread(event, [webhook for webhook in webhooks[event.project_id] if event.kind in webhook.kinds])


@transaction.atomic
def _spread(event: WebhookEvent, subscribed: list[Webhook]) -> None:
    if WebhookEvent.objects.filter(pk=event.pk, spread=False).update(spread=True):
        keys = [webhook.pk for webhook in subscribed if webhook.created_at <= event.created_at]
        present = Webhook.objects.filter(pk__in=keys).order_by("pk").values_list("pk", flat=True)
        rows = [Delivery(webhook_id=pk, event=event, due_at=event.created_at) for pk in present]
        Delivery.objects.bulk_create(rows)


def _attempt(delivery: Delivery) -> bool:
    sent = _post(delivery)
    (_note_taken if sent.taken else _note_failure)(delivery, sent)
    return sent.taken


def _post(delivery: Delivery) -> Sent:
    """One attempt. The event is loaded only now, so that a long queue does not fill the memory."""
    return http_delivery.post(delivery.event.content, partial(_signed, delivery))


def _signed(delivery: Delivery, body: bytes) -> tuple[str, dict[str, str]]:
    """The URL and the headers, signed with the secret and, for a day after a rotation, with the former one too."""
    webhook = Webhook.objects.get(pk=delivery.webhook_id)
    both = webhook.old_secret and webhook.old_until is not None and webhook.old_until > clock.now()
    secrets = [webhook.secret, webhook.old_secret] if both else [webhook.secret]
    return webhook.url, protocol.headers(delivery.event.public_id, clock.now(), body, secrets)


def _finish(delivery: Delivery, sent: Sent, wait: timedelta | None = None) -> None:
    ended_at = clock.now() if sent.taken or wait is None else None
    stamps = {"status": sent.status, "trouble": sent.trouble[:300], "ended_at": ended_at}
    http_delivery.finish(delivery, sent, wait, **stamps)


@transaction.atomic
def _note_taken(delivery: Delivery, sent: Sent) -> None:
    _finish(delivery, sent)
    Webhook.objects.filter(pk=delivery.webhook_id, failures__gt=0).update(**HEALTHY)


def _note_failure(delivery: Delivery, sent: Sent) -> None:
    """Delay this delivery, longer each time, and all others to the URL, which is deactivated after days of failures."""
    now, webhook = clock.now(), Webhook.objects.filter(pk=delivery.webhook_id)
    last = delivery.tries >= protocol.MOST_TRIES
    with transaction.atomic():
        _finish(delivery, sent, None if last else protocol.wait_after(delivery.tries, random.random()))
        failures = webhook.values_list("failures", flat=True).first() or 0
        rest = now + protocol.wait_after(failures + 1, random.random(), longest=protocol.LONGEST_REST)
        since = Coalesce("failing_since", Value(now))
        changes = {"failing_since": since, "rests_until": rest, "trouble": sent.trouble[:300]}
        webhook.update(failures=F("failures") + 1, **changes)
    for_good = sent.status == protocol.GONE
    if webhook.filter(Q() if for_good else Q(failing_since__lte=now - protocol.STOPPED_AFTER), active=True).exists():
        stop(delivery.webhook)


@transaction.atomic
def queue_test(webhook: Webhook, **how: Any) -> Delivery:
    """Queue a test delivery."""
    facts = {"webhook": webhook.public_id}
    event = write(webhook.project, "test", protocol.TEST, spread=True, **facts)
    return Delivery.objects.create(webhook=webhook, event=event, **{"due_at": clock.now(), **how})


def test(webhook: Webhook) -> Delivery:
    """Send a test delivery once, at once; it has the result."""
    delivery = queue_test(webhook, tries=1, due_at=clock.now() + http_delivery.LEASE)
    sent = _post(delivery)
    (_note_taken if sent.taken else _finish)(delivery, sent)
    delivery.refresh_from_db()
    return delivery


def forget_old() -> int:
    """Delete old events with their deliveries; returns how many rows."""
    return http_delivery.forget_old(WebhookEvent.objects.all())
