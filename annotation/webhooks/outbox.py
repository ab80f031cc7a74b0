"""Webhook events, written in the transaction of what they report.

`Project.webhook_kinds` has the subscribed kinds and is loaded with the project: without subscribers nothing is queried.
No event contains a response, gold, a name or an address; people are pseudonyms.
"""

from typing import Any

from django.db import transaction
from django.db.models import Sum

from annotation.models import Batch, BatchActivity, Project, clock
from annotation.webhooks import protocol
from annotation.webhooks.models import WebhookEvent


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
