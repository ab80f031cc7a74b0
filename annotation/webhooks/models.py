"""Webhooks of a project, their events, and the state of each delivery."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.project import Project, public_id
from annotation.models.sealed import SealedField


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def awake(self) -> WebhookQuerySet:
        """Webhooks that are neither paused nor waiting after failures, of projects that are not deleted."""
        rested = Q(rests_until=None) | Q(rests_until__lte=Now())
        return self.filter(rested, active=True, project__removed_at=None)


class Webhook(models.Model):
    """A URL that a project's events are posted to. `kinds`: the subscribed events; secrets are shown only once."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhooks")
    public_id = models.CharField(max_length=32, unique=True, default=public_id)
    url = models.CharField(_("address"), max_length=300)
    kinds = JSONTextField(default=list)  # of annotation.webhooks.protocol.KINDS
    note = models.CharField(_("purpose"), max_length=100, blank=True)
    secret = SealedField()
    old_secret = SealedField(blank=True)  # after a rotation, signs beside `secret` until `old_until`
    old_until = models.DateTimeField(null=True, blank=True)
    active = models.BooleanField(default=True)
    stopped_at = models.DateTimeField(null=True, blank=True)  # deactivated by us after failing for days
    failures = models.PositiveIntegerField(default=0)  # in a row
    failing_since = models.DateTimeField(null=True, blank=True)
    rests_until = models.DateTimeField(null=True, blank=True)
    trouble = models.CharField(max_length=300, blank=True)  # error of the last attempt, if it failed
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    objects = WebhookQuerySet.as_manager()

    def __str__(self) -> str:
        return self.url


class WebhookEvent(models.Model):
    """An event, written in the transaction it reports. Its id is the message's id at every delivery attempt."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhook_events")
    public_id = models.CharField(max_length=32, unique=True, default=public_id)
    kind = models.CharField(max_length=10)
    content = JSONTextField()  # the body as it is sent
    spread = models.BooleanField(default=False)  # whether the Delivery rows of its subscribers were made
    created_at = TimestampField(auto_now_add=True, db_index=True)

    class Meta:
        indexes = [models.Index(fields=["id"], name="webhook_event_new", condition=Q(spread=False))]


class Delivery(models.Model):
    """The delivery of one event to one webhook."""

    class State(models.TextChoices):
        DUE = "due", _("waiting")
        DELIVERED = "delivered", _("delivered")
        FAILED = "failed", _("failed")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(WebhookEvent, models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=9, choices=State, default=State.DUE)
    tries = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True, blank=True)  # HTTP status of the last response
    trouble = models.CharField(max_length=300, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="delivery_once"),
            one_of("state", ["due", "delivered", "failed"], name="delivery_state_known"),
        ]
        indexes = [models.Index(fields=["webhook", "due_at"], name="delivery_due", condition=Q(state="due"))]
