"""A marketplace that a project publishes on, and how it is reached."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import TimestampField
from annotation.models.project import Project
from annotation.models.sealed import SealedField
from annotation.pure import pricing


class Connection(models.Model):
    """Endpoint and keys of a marketplace that speaks MTurk's protocol. The secret is never shown nor logged."""

    class Preset(models.TextChoices):
        HERE = "here", _("this installation")
        OTHER = "other", _("another installation, or any other endpoint")
        AWS = "aws", _("Amazon Mechanical Turk (closed in September 2026)")
        AWS_SANDBOX = "sandbox", _("Amazon's sandbox (closed in September 2026)")

    project = models.ForeignKey(Project, models.CASCADE, related_name="connections")
    name = models.SlugField(_("name"), max_length=50)
    preset = models.CharField(max_length=7, choices=Preset, default=Preset.HERE)
    endpoint_url = models.CharField(_("endpoint"), max_length=300)
    worker_origin = models.CharField(_("origin of the workers' pages"), max_length=300)  # scheme://host[:port]
    region = models.CharField(_("region"), max_length=30, default="us-east-1")
    key_id = models.CharField(_("access key id"), max_length=128)
    secret = SealedField(_("secret access key"))
    fees = models.CharField(_("fees"), max_length=5, choices=pricing.SCHEDULES, default=pricing.HOUSE)
    failures = models.PositiveIntegerField(default=0)  # in a row; after some of them it is left in peace for a while
    rests_until = models.DateTimeField(null=True, blank=True)
    trouble = models.TextField(blank=True)  # what the last call ended with, where it failed
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="connection_name_once"),
            models.CheckConstraint(
                condition=Q(preset__in=["here", "other", "aws", "sandbox"]), name="connection_preset_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name
