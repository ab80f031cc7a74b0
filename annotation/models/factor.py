"""The second factor of whoever runs projects: an authenticator's key, and codes for the day it is lost."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.fields import TimestampField
from annotation.models.sealed import SealedField


class SecondFactor(models.Model):
    """The key that a person's authenticator shares with us, once a code had shown that it arrived there."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="second_factor")
    secret = SealedField()  # hex, 160 random bits
    last_step = models.BigIntegerField(default=-1)  # of 30 s, of the last code taken: none is taken twice
    confirmed_at = models.DateTimeField(null=True, blank=True)
    failed = models.PositiveIntegerField(default=0, db_default=0)  # wrong codes since the last right one
    rests_until = models.DateTimeField(null=True, blank=True)  # until then only codes of the list are looked at
    created_at = TimestampField(auto_now_add=True)


class BackupCode(models.Model):
    """A code that lets in once without the authenticator; only its keyed hash is stored."""

    factor = models.ForeignKey(SecondFactor, models.CASCADE, related_name="codes")
    digest = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["factor", "digest"], name="backup_code_once")]
