"""The erasure of a deleted project, which is done in many small steps."""

from __future__ import annotations

from django.db import models

from annotation.models.fields import TimestampField
from annotation.models.project import Project


class Erasure(models.Model):
    """A project that is gone for good. Once this row is there, triggers let its log and the notes of its ledger go.

    It stays with what stays of the project: moves of money, under numbers.
    """

    project = models.OneToOneField(Project, models.CASCADE, related_name="erasure")
    rows = models.PositiveBigIntegerField(default=0)  # erased so far
    begun_at = TimestampField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["begun_at"], name="erasure_under_way", condition=models.Q(ended_at=None))]
