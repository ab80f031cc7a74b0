"""API tokens, access keys, and stored responses to writes with an Idempotency-Key."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.project import Project
from annotation.models.sealed import SealedField


class ApiToken(models.Model):
    """A requester's bearer token; only its digest is stored. It has its owner's rights, or fewer."""

    class Scope(models.TextChoices):
        READ = "read", _("read only")
        WRITE = "write", _("read and write")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    # The only project it is valid for; null: all projects of the user.
    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="api_tokens")
    scope = models.CharField(_("permission"), max_length=5, choices=Scope, default=Scope.WRITE)
    note = models.CharField(_("purpose"), max_length=100, blank=True)
    digest = models.CharField(max_length=64, unique=True)  # SHA-256, hex
    ending = models.CharField(max_length=4)  # last characters of the token, shown to tell tokens apart
    created_at = TimestampField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [one_of("scope", ["read", "write"], name="api_token_scope_known")]


class AccessKey(models.Model):
    """A key pair that signs requests to the MTurk API (AWS Signature Version 4). Its project is the requester."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="access_keys")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="access_keys")
    key_id = models.CharField(max_length=40, unique=True)
    secret = SealedField()
    is_behind: bool  # where mturk_api/endpoint.py asks for it
    created_at = TimestampField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)


class ApiRequest(models.Model):
    """The stored response to a write with an Idempotency-Key, written in the same transaction as the write."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)  # SHA-256 of method, path and body
    status = models.PositiveSmallIntegerField(default=0)
    answer = JSONTextField(default=dict)
    location = models.CharField(max_length=500, blank=True)
    created_at = TimestampField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="api_request_once")]
