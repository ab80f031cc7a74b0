"""Two-factor authentication: an authenticator's key, and backup codes."""

from django.conf import settings
from django.db import models

from annotation.models.fields import TimestampField
from annotation.models.sealed import SealedField


class SecondFactor(models.Model):
    """The key that a user's authenticator shares with us; `confirmed_at` is set by the first right code."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="second_factor")
    secret = SealedField()  # hex, 160 random bits
    last_step = models.BigIntegerField(default=-1)  # 30-second step of the last accepted code: none is accepted twice
    confirmed_at = models.DateTimeField(null=True, blank=True)
    failed = models.PositiveIntegerField(default=0, db_default=0)  # wrong codes since the last right one
    rests_until = models.DateTimeField(null=True, blank=True)  # until then only backup codes are accepted
    created_at = TimestampField(auto_now_add=True)


class BackupCode(models.Model):
    """A code for signing in once without the authenticator; only its keyed hash is stored."""

    factor = models.ForeignKey(SecondFactor, models.CASCADE, related_name="codes")
    digest = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["factor", "digest"], name="backup_code_once")]
