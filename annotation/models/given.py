"""HITs that a requester gives to chosen workers."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.batch import Batch, Hit
from annotation.models.fields import TimestampField
from annotation.models.project import Worker


class Given(models.Model):
    """A HIT that a worker gets before any other of its batch, once.

    It takes no place of the HIT, which asks for one answer more from the moment on in which they take it (`taken_at`).
    """

    hit = models.ForeignKey(Hit, models.CASCADE, related_name="given")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="given")
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="given")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["hit", "worker"], name="given_once")]
        indexes = [
            models.Index(fields=["batch", "worker"], name="given_waiting", condition=Q(taken_at__isnull=True)),
        ]
