"""The project, on which every row hangs; its requesters, its workers, its invites."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


def random_key() -> str:
    return secrets.token_hex(32)


def public_id() -> str:
    """128 random bits, fit for a URL (ASVS 11.5.1)."""
    return secrets.token_urlsafe(16)


class Project(models.Model):
    slug = models.SlugField(_("short name"), unique=True)
    title = models.CharField(_("title"), max_length=200)
    consent = models.TextField(_("consent text"), blank=True)
    consent_version = models.PositiveIntegerField(default=1)
    pseudonym_key = models.CharField(max_length=64, default=random_key, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.title

    def pseudonym(self, worker_id: int) -> str:
        """Keyed hash under which a worker appears in exports; it joins nothing across projects."""
        return self._keyed(str(worker_id))

    def reviewer_pseudonym(self, user_id: int) -> str:
        """The same for a requester who reviewed; nobody's two roles join either."""
        return self._keyed(f"reviewer/{user_id}")

    def _keyed(self, name: str) -> str:
        return hmac.new(self.pseudonym_key.encode(), name.encode(), hashlib.sha256).hexdigest()[:16]


class Member(models.Model):
    """A user who runs the project: imports, launches, reads results."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "user"], name="member_once")]


class Worker(models.Model):
    """Anyone who answers. In-house workers have a user; others the name their source gave them."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="workers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="workers")
    external_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001  (unique where there is one)
    consented_version = models.PositiveIntegerField(default=0)
    consented_at = models.DateTimeField(null=True, blank=True)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="worker_once"),
            models.UniqueConstraint(fields=["project", "external_id"], name="worker_external_once"),
            models.CheckConstraint(
                condition=Q(user__isnull=False) | Q(external_id__isnull=False), name="worker_is_somebody"
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def pseudonym(self) -> str:
        return self.project.pseudonym(self.pk)

    @property
    def consented(self) -> bool:
        return self.consented_version >= self.project.consent_version


class Invite(models.Model):
    """A link that makes whoever opens it a worker (or a requester) of the project."""

    class Role(models.TextChoices):
        WORKER = "worker", _("annotator")
        REQUESTER = "requester", _("requester")

    project = models.ForeignKey(Project, models.CASCADE, related_name="invites")
    token = models.CharField(max_length=64, unique=True, default=random_key)
    role = models.CharField(max_length=10, choices=Role)
    note = models.CharField(_("for whom"), max_length=200, blank=True)
    places = models.PositiveIntegerField(_("how many people may join with it"), default=1)
    used = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(used__lte=models.F("places")), name="invite_not_overused"),
            models.CheckConstraint(condition=Q(role__in=["worker", "requester"]), name="invite_role_known"),
        ]
