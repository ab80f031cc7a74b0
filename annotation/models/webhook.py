"""Addresses that a project has called when something happens, the events, and how far each delivery has come."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import JSONTextField, TimestampField
from annotation.models.project import Project, public_id
from annotation.models.sealed import SealedField


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def awake(self) -> WebhookQuerySet:
        """Those that are neither paused nor resting, of projects that are there."""
        rested = Q(rests_until=None) | Q(rests_until__lte=Now())
        return self.filter(rested, active=True, project__removed_at=None)


class Webhook(models.Model):
    """Somebody's address. `kinds` are what they ask for; its secrets sign, and are never shown again."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhooks")
    public_id = models.CharField(max_length=32, unique=True, default=public_id)
    url = models.CharField(_("address"), max_length=300)
    kinds = JSONTextField(default=list)  # of annotation.pure.webhooks.KINDS
    note = models.CharField(_("what it is for"), max_length=100, blank=True)
    secret = SealedField()
    old_secret = SealedField(blank=True)  # signs too, until `old_until`
    old_until = models.DateTimeField(null=True, blank=True)
    active = models.BooleanField(default=True)
    stopped_at = models.DateTimeField(null=True, blank=True)  # by us, since it failed for days
    failures = models.PositiveIntegerField(default=0)  # in a row
    failing_since = models.DateTimeField(null=True, blank=True)
    rests_until = models.DateTimeField(null=True, blank=True)
    trouble = models.CharField(max_length=300, blank=True)  # what the last try ended with, where it failed
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    objects: ClassVar = WebhookQuerySet.as_manager()

    def __str__(self) -> str:
        return self.url


class WebhookEvent(models.Model):
    """What happened, written in its transaction. Its id is the letter's, however often that is sent."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhook_events")
    public_id = models.CharField(max_length=32, unique=True, default=public_id)
    kind = models.CharField(max_length=10)
    content = JSONTextField()  # the body as it is sent
    spread = models.BooleanField(default=False)  # the letters to those who ask for it are written
    created_at = TimestampField(auto_now_add=True, db_index=True)

    class Meta:
        indexes = [models.Index(fields=["id"], name="webhook_event_new", condition=Q(spread=False))]


class Delivery(models.Model):
    """One event on its way to one webhook."""

    class State(models.TextChoices):
        DUE = "due", _("waiting")
        DELIVERED = "delivered", _("delivered")
        FAILED = "failed", _("failed")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(WebhookEvent, models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=9, choices=State, default=State.DUE)
    tries = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True, blank=True)  # of the last answer
    trouble = models.CharField(max_length=300, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="delivery_once"),
            models.CheckConstraint(condition=Q(state__in=["due", "delivered", "failed"]), name="delivery_state_known"),
        ]
        indexes = [models.Index(fields=["webhook", "due_at"], name="delivery_due", condition=Q(state="due"))]

    def move(self, to: str, **stamps: Any) -> bool:
        """Guarded end of the try that this object made; False when another one was begun since."""
        mine = Delivery.objects.filter(pk=self.pk, state=Delivery.State.DUE, tries=self.tries)
        return bool(mine.update(state=to, **stamps))
