"""Groups of participants on a marketplace that stand for our qualifications."""

from __future__ import annotations

from django.db import models

from annotation.marketplaces.models.connections import Connection
from annotation.models.fields import JSONTextField


class ParticipantGroup(models.Model):
    """A group there. `members`: marks of those whom both sides had when they were last brought into step."""

    connection = models.ForeignKey(Connection, models.CASCADE, related_name="groups")
    name = models.CharField(max_length=300)
    external_id = models.CharField(max_length=64)
    members = JSONTextField(default=list)
    synced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["connection", "name"], name="participant_group_once")]
