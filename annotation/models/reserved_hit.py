"""HITs that a requester reserves for chosen workers."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.batch import Batch, Hit
from annotation.models.fields import TimestampField
from annotation.models.project import Worker


class ReservedHit(models.Model):
    """A HIT reserved for a worker, who gets it once and before any other of its batch.

    It is an additional assignment: from `taken_at` on the HIT asks for one response more.
    """

    hit = models.ForeignKey(Hit, models.CASCADE, related_name="reservations")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="reservations")
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="reservations")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["hit", "worker"], name="given_once")]
        indexes = [
            models.Index(fields=["batch", "worker"], name="given_waiting", condition=Q(taken_at__isnull=True)),
        ]
