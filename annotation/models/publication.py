"""HITs on a marketplace: how to reach it, what was sent there, and who came back from it."""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.assignment import Assignment
from annotation.models.batch import Hit
from annotation.models.connection import Connection
from annotation.models.fields import JSONTextField, TimestampField
from annotation.models.money import amount_field


def token() -> str:
    """An idempotency token: 128 random bits, fit for MTurk's UniqueRequestToken."""
    return secrets.token_hex(16)


class PublicationQuerySet(models.QuerySet["Publication"]):
    def unsent(self) -> PublicationQuerySet:
        """Those that the marketplace is not known to have."""
        return self.filter(state__in=[Publication.State.WAITING, Publication.State.SENDING])


class Publication(models.Model):
    """The intent to have one HIT on a marketplace, exactly once.

    `wanted` and `closes_at` are absolute targets, so that extending may be tried again. `first_try_at` is committed
    before any call: within the marketplace's memory the same token is sent again, after it we look before we send.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("to be sent")
        SENDING = "sending", _("being sent")
        PUBLISHED = "published", _("published")
        FAILED = "failed", _("failed")

    hit = models.OneToOneField(Hit, models.CASCADE, related_name="publication")
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="publications")
    token = models.CharField(max_length=64, unique=True, default=token)
    annotation = models.CharField(max_length=255, unique=True)
    reward = amount_field()
    wanted = models.PositiveIntegerField()
    closes_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    external_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  (unique where there is one)
    external_type = models.CharField(max_length=64, blank=True)
    tries = models.PositiveIntegerField(default=0)
    first_try_at = models.DateTimeField(null=True, blank=True)
    last_try_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    missed_at = models.DateTimeField(null=True, blank=True)  # a whole look at the marketplace did not find it
    error = models.TextField(blank=True)
    remote = JSONTextField(default=dict)  # the HIT as the marketplace last told it: status, counters
    synced_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar = PublicationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["connection", "external_id"], name="publication_external_once"),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "sending", "published", "failed"]), name="publication_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="published") | Q(external_id__isnull=False), name="publication_has_its_id"
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="publication_unsent", condition=Q(state__in=["waiting", "sending"]))
        ]

    def move(self, to: str, *, since: tuple[str, ...], **stamps: Any) -> bool:
        """Guarded move; True when it was us who moved it."""
        moved = Publication.objects.filter(pk=self.pk, state__in=since).update(state=to, **stamps)
        if moved:
            self.state = to
        return bool(moved)


class Arrival(models.Model):
    """A worker whom a marketplace sent to a HIT. Marketplaces use assignment ids again: the pair is the key."""

    publication = models.ForeignKey(Publication, models.PROTECT, related_name="arrivals")
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="arrivals")
    external_assignment = models.CharField(max_length=64)
    external_worker = models.CharField(max_length=64)
    assignment = models.OneToOneField(Assignment, models.PROTECT, null=True, blank=True, related_name="arrival")
    submit_to = models.CharField(max_length=500)
    arrived_at = TimestampField(auto_now_add=True)
    posted_at = models.DateTimeField(null=True, blank=True)  # we sent the browser on to the marketplace
    remote_state = models.CharField(max_length=10, blank=True)  # Submitted, Approved, Rejected, as last told
    remote = JSONTextField(default=dict)  # times as last told
    trouble = models.CharField(max_length=200, blank=True)  # what the reconciliation found amiss
    synced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["connection", "external_assignment", "external_worker"], name="arrival_once"
            ),
        ]
