"""What a requester registered before the first response to a batch."""

from django.conf import settings
from django.db import models

from annotation.models.batch import Batch
from annotation.models.fields import TimestampField


class Preregistration(models.Model):
    """The registered file of a batch, as text, and the SHA-256 of its bytes. It is never changed."""

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="preregistration")
    document = models.TextField()  # JSON (annotation/pure/reports/preregistration.py)
    sha256 = models.CharField(max_length=64)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
