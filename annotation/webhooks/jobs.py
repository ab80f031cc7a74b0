"""Scheduled jobs of webhooks."""

from collections.abc import Callable

from django.db.models import QuerySet

from annotation.flow.projects.job_queue import Verb
from annotation.webhooks import deliveries, outbox
from annotation.webhooks.models import Delivery


def waiting() -> QuerySet[Delivery]:
    """Due deliveries of webhooks that are not paused."""
    return Delivery.objects.filter(state=Delivery.State.DUE, webhook__active=True)


VERBS: dict[str, Verb] = {}
SWEEPS: list[Callable[[], object]] = [deliveries.forget_old, outbox.notice_due]
ERRANDS: list[Callable[[], object]] = [deliveries.deliver_due]
OUTBOXES = [("webhooks", waiting)]
