"""User accounts with settings, second factors, sign-in attempts, API tokens and access keys, and requests by key."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.sessions.models import Session
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import FoldedField, JSONTextField, TimestampField, one_of
from annotation.models.project import Project
from annotation.models.sealed import SealedField
from annotation.pure.text.normalization import fold


class Users(UserManager["User"]):
    """Accounts, found by their names in any case and spelling."""

    use_in_migrations = False

    def named(self, name: str) -> User | None:
        """The account of that name; those made by an older release have no key."""
        rows = self.filter(models.Q(name_key=fold(name)) | models.Q(name_key=None, username__iexact=name))
        return min(rows, key=lambda user: (user.username != name, user.pk), default=None)

    def get_by_natural_key(self, username: str | None) -> User:
        return self.named(username or "") or super().get_by_natural_key(username)


class User(AbstractUser):
    """Somebody who signs in: a requester, a worker, or both."""

    display_name = models.CharField(_("name"), max_length=150, blank=True)
    shortcuts = JSONTextField(default=dict)  # {"off": bool, "keys": {action: key}}
    muted = JSONTextField(default=list)  # kinds of notices that the user turned off
    language = models.CharField(max_length=10, blank=True, default="", db_default="")  # of mails to this user
    name_key = FoldedField("username", max_length=500, null=True, editable=False, unique=True)
    sessions_ended = models.PositiveIntegerField(default=0, db_default=0)  # how often all at once

    objects = Users()  # type: ignore[misc]  # a variable of the class, as Django has it

    class Meta(AbstractUser.Meta):
        constraints = [models.UniqueConstraint(Lower("username"), name="user_name_once")]

    def __str__(self) -> str:
        return self.display_name or self.username

    @property
    def contact(self) -> str:
        """Name and email address for people who ask about a study; "" if no address is known."""
        address = self.email or (self.username if "@" in self.username else "")
        return address and ", ".join(dict.fromkeys([str(self), address]))

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What a session must match, as Django does it; changes as well when all sessions are ended."""
        return f"{super()._get_session_auth_hash(secret)}{self.sessions_ended or ''}"  # type: ignore[misc]  # not in the stubs


class UserSession(models.Model):
    """Whose a session is, and since when; guests have none."""

    # The release before deletes sessions without knowing of these rows.
    session = models.OneToOneField(Session, models.CASCADE, related_name="of_user", db_constraint=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="sessions")
    browser = models.CharField(max_length=100)
    created_at = models.DateTimeField()
    seen_at = models.DateTimeField()  # to within some minutes


class SignInTry(models.Model):
    """A sign-in attempt that failed or is not decided yet; kept for a minute (flow/people/sign_in.py)."""

    key = models.CharField(max_length=64)  # keyed hash of name and address
    place = models.CharField(max_length=64, db_default="")  # keyed hash of the address alone
    at = models.DateTimeField(db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["key", "at"], name="sign_in_tries"),
            models.Index(fields=["place", "at"], name="sign_in_tries_of_place"),
        ]


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
