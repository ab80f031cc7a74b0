"""Marketplaces that a project is connected to, the batches published there, and groups of participants."""

import secrets

from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.marketplaces.kinds import kinds
from annotation.models import Batch, Project
from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.sealed import SealedField
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
