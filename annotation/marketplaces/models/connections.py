"""Marketplaces that a project is connected to, batches and HITs published there, and workers from there."""

from __future__ import annotations

import secrets

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.marketplaces.kinds import kinds
from annotation.models import Assignment, Batch, Hit, Project
from annotation.models.fields import JSONTextField, StateRow, TimestampField, one_of
from annotation.models.money import amount_field
from annotation.models.sealed import SealedField
from annotation.pure.batches import lifecycle
from annotation.pure.money import pricing

FEES = [*pricing.SCHEDULES, *pricing.PANEL_SCHEDULES]


class Connection(models.Model):
    """Kind, endpoint and keys of a marketplace. The secret is never shown nor logged."""

    class Preset(models.TextChoices):
        HERE = "here", _("this installation")
        OTHER = "other", _("another installation or endpoint")
        AWS = "aws", _("Amazon Mechanical Turk (closed in September 2026)")
        AWS_SANDBOX = "sandbox", _("Amazon's sandbox (closed in September 2026)")

    project = models.ForeignKey(Project, models.CASCADE, related_name="connections")
    name = models.SlugField(_("name"), max_length=50)
    kind = models.CharField(max_length=20, default="mturk", db_default="mturk")  # a folder of annotation/marketplaces
    preset = models.CharField(max_length=7, choices=Preset, default=Preset.HERE)
    endpoint_url = models.CharField(_("endpoint"), max_length=300)
    worker_origin = models.CharField(_("origin of the workers' pages"), max_length=300)  # scheme://host[:port]
    region = models.CharField(_("region"), max_length=30, default="us-east-1")
    key_id = models.CharField(_("access key ID"), max_length=128)
    secret = SealedField(_("secret access key"))
    options = JSONTextField(default=dict, db_default={})  # settings of the kind: {name: text}
    fees = models.CharField(_("fees"), max_length=5, choices=FEES, default=pricing.NO_FEES)
    failures = models.PositiveIntegerField(default=0)  # in a row; after several of them calls stop until `rests_until`
    rests_until = models.DateTimeField(null=True, blank=True)
    trouble = models.TextField(blank=True)  # error of the last call, if it failed
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="connection_name_once"),
            one_of("preset", ["here", "other", "aws", "sandbox"], name="connection_preset_known"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def label(self) -> str:
        return f"{self.name} · {self.kind_label}"

    @property
    def kind_label(self) -> str:
        """What kind of marketplace it is, for people."""
        return str(getattr(kinds()[self.kind], "label", "") or self.get_preset_display())

    @property
    def fees_source(self) -> str:
        """What is known of the marketplace's fees, and when."""
        return str(getattr(kinds()[self.kind], "fees_source", ""))


class BatchMarketplace(models.Model):
    """The marketplace on which a batch is published. `Batch.on_marketplace` is True if there is one."""

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="marketplace")
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="batches")


def connection_of(batch: Batch) -> Connection | None:
    """The connection of the batch's marketplace; None for a batch on the built-in one."""
    return batch.marketplace.connection if batch.on_marketplace else None


def token() -> str:
    """An idempotency token: 128 random bits, fit for MTurk's UniqueRequestToken."""
    return secrets.token_hex(16)


class ParticipantGroup(models.Model):
    """A group there. `members`: marks of those whom both sides had when they were last brought into step."""

    connection = models.ForeignKey(Connection, models.CASCADE, related_name="groups")
    name = models.CharField(max_length=300)
    external_id = models.CharField(max_length=64)
    members = JSONTextField(default=list)
    synced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "name"], name="participant_group_once")]


class PublicationQuerySet(models.QuerySet["Publication"]):
    def unsent(self) -> PublicationQuerySet:
        """Publications that the marketplace has not confirmed."""
        return self.filter(state__in=[Publication.State.WAITING, Publication.State.SENDING])


class Publication(StateRow):
    """The intent to publish one HIT on a marketplace, exactly once.

    `wanted` and `closes_at` are absolute targets, so that extending can be retried. `first_try_at` is committed before
    any call: while the marketplace remembers the token we send it again; later we look for the HIT before we send.
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
    external_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  (unique if not null)
    external_type = models.CharField(max_length=64, blank=True)
    tries = models.PositiveIntegerField(default=0)
    first_try_at = models.DateTimeField(null=True, blank=True)
    last_try_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    missed_at = models.DateTimeField(null=True, blank=True)  # a complete listing of the marketplace did not contain it
    error = models.TextField(blank=True)
    remote = JSONTextField(default=dict)  # the HIT as last read from the marketplace: status, counters
    synced_at = models.DateTimeField(null=True, blank=True)

    objects = PublicationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["connection", "external_id"], name="publication_external_once"),
            one_of("state", ["waiting", "sending", "published", "failed"], name="publication_state_known"),
            models.CheckConstraint(
                condition=~Q(state="published") | Q(external_id__isnull=False), name="publication_has_its_id"
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="publication_unsent", condition=Q(state__in=["waiting", "sending"]))
        ]


class Arrival(models.Model):
    """A worker sent to a HIT by a marketplace. Marketplaces reuse assignment ids, so the key includes the worker."""

    publication = models.ForeignKey(Publication, models.PROTECT, related_name="arrivals")
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="arrivals")
    external_assignment = models.CharField(max_length=64)
    external_worker = models.CharField(max_length=64)
    assignment = models.OneToOneField(Assignment, models.PROTECT, null=True, blank=True, related_name="arrival")
    submit_to = models.CharField(max_length=500)
    arrived_at = TimestampField(auto_now_add=True)
    posted_at = models.DateTimeField(null=True, blank=True)  # browser sent to the marketplace's submit URL
    remote_state = models.CharField(max_length=10, blank=True)  # Submitted, Approved or Rejected, as last read
    remote = JSONTextField(default=dict)  # times as last read
    trouble = models.CharField(max_length=200, blank=True)  # problem found by the last sync
    synced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["connection", "external_assignment", "external_worker"], name="arrival_once"
            ),
        ]

    @property
    def work(self) -> Assignment:
        """The assignment of an arrival that holds one."""
        assert self.assignment is not None  # arrivals.holder leaves out others
        return self.assignment

    @property
    def is_answered(self) -> bool:
        """Whether its response was submitted here."""
        return self.assignment is not None and self.assignment.state == lifecycle.SUBMITTED
