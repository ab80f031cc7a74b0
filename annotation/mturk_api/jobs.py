"""Scheduled jobs of the MTurk API."""

from collections.abc import Callable

from django.db.models import QuerySet

from annotation.flow.projects.job_queue import Verb
from annotation.mturk_api.flow import hit_creation, hit_expiry, notification_delivery, policy_actions, request_tokens
from annotation.mturk_api.models import Event


def waiting() -> QuerySet[Event]:
    """Notifications that were not delivered yet."""
    return Event.objects.filter(state=Event.State.DUE)


VERBS: dict[str, Verb] = {}
SWEEPS: list[Callable[[], object]] = [
    hit_expiry.lapse_due,
    hit_expiry.notice_due,
    policy_actions.apply_due,
    request_tokens.forget_old,
    hit_creation.count_items,
    notification_delivery.forget_old,
]
ERRANDS: list[Callable[[], object]] = [notification_delivery.deliver_due]
OUTBOXES = [("events", waiting)]
