"""The erasure of a deleted project, in many small steps."""

from django.db import models

from annotation.models.fields import TimestampField
from annotation.models.project import Project


class Erasure(models.Model):
    """The erasure of a project. While this row exists, triggers allow its log and the ledger's notes to be removed.

    The row stays, with the only other trace of the project: amounts in the ledger, without names.
    """

    project = models.OneToOneField(Project, models.CASCADE, related_name="erasure")
    rows = models.PositiveBigIntegerField(default=0)  # number of rows erased so far
    begun_at = TimestampField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["begun_at"], name="erasure_under_way", condition=models.Q(ended_at=None))]
