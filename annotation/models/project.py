"""Projects, their members, workers and invites, their audit log, and their erasure."""

from __future__ import annotations

import hmac
import secrets
from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import clock
from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.pure.money import pricing
from annotation.pure.people import roles


def random_key() -> str:
    return secrets.token_hex(32)


def public_id() -> str:
    """128 random bits, fit for a URL (ASVS 11.5.1)."""
    return secrets.token_urlsafe(16)


ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def mturk_id() -> str:
    """An id in the form of MTurk's, safe in URLs: 30 characters, 149 random bits."""
    return "3" + _random_text(29)


def worker_id() -> str:
    """A random worker id in the form of MTurk's; the same person has another one in each project."""
    return "A" + _random_text(13)


def _random_text(length: int) -> str:
    number, letters = secrets.randbelow(len(ID_ALPHABET) ** length), []
    for _place in range(length):
        number, letter = divmod(number, len(ID_ALPHABET))
        letters.append(ID_ALPHABET[letter])
    return "".join(letters)


class PresentProjects(models.Manager["Project"]):
    """The manager for lists and look-ups: leaves out deleted projects."""

    def get_queryset(self) -> models.QuerySet[Project]:
        return super().get_queryset().filter(removed_at__isnull=True)


class Project(models.Model):
    class SignUp(models.TextChoices):
        INVITE = "invite", _("by invite only")
        ANY_ACCOUNT = "house", _("anyone with an account on this installation")
        OPEN = "open", _("anyone, on the project's open page")

    slug = models.SlugField(_("short name"), unique=True)
    title = models.CharField(_("title"), max_length=200)
    consent = models.TextField(_("consent text"), blank=True)
    consent_version = models.PositiveIntegerField(default=1)
    pseudonym_key = models.CharField(max_length=64, default=random_key, editable=False)
    sign_up = models.CharField(_("who may join as a worker"), max_length=6, choices=SignUp, default=SignUp.INVITE)
    fees = models.CharField(_("marketplace fees"), max_length=5, choices=pricing.SCHEDULES, default=pricing.NO_FEES)
    two_factor = models.BooleanField(_("members must use two-factor authentication"), default=False)
    ask_models = models.BooleanField(_("items may be sent to models"), default=True, db_default=True)
    wage_floor = models.DecimalField(_("minimum hourly wage"), max_digits=7, decimal_places=2, null=True, blank=True)
    # Events that its webhooks subscribe to, kept by the app `webhooks`. A column here, because the project is loaded
    # anyway when an event happens: without subscribers the app needs no query.
    webhook_kinds = models.CharField(max_length=100, blank=True)
    created_at = TimestampField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True)  # when an owner deleted it; it can be restored for a while

    objects = PresentProjects()
    everything = models.Manager["Project"]()

    def __str__(self) -> str:
        return self.title

    def pseudonym(self, worker_id: int) -> str:
        """Keyed hash under which a worker appears in exports; another one in each project."""
        return self._keyed(str(worker_id))

    def reviewer_pseudonym(self, user_id: int) -> str:
        """Keyed hash for a reviewer; it cannot be joined with the same person's hash as a worker."""
        return self._keyed(f"reviewer/{user_id}")

    def workers_called(self, name: str) -> list[int]:
        """Key of the worker with that worker id; without one, keys of those whose pseudonym begins so."""
        called = list(self.workers.filter(public_id=name).values_list("pk", flat=True))
        every = self.workers.order_by("pk").values_list("pk", flat=True)
        return called or [pk for pk in every if self.pseudonym(pk).startswith(name.lower())]

    def _keyed(self, name: str) -> str:
        return hmac.digest(self.pseudonym_key.encode(), name.encode(), "sha256").hex()[:16]


class Member(models.Model):
    """A user with a role in the project; `annotation/pure/people/roles.py` says what each role may do."""

    class Role(models.TextChoices):
        OWNER = roles.OWNER, _("owner")
        REQUESTER = roles.REQUESTER, _("requester")
        REVIEWER = roles.REVIEWER, _("reviewer")

    project = models.ForeignKey(Project, models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.OWNER)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="member_once"),
            one_of("role", ["owner", "requester", "reviewer"], name="member_role_known"),
        ]

    def may(self, act: str) -> bool:
        return roles.may(self.role, act)


class WorkerQuerySet(models.QuerySet["Worker"]):
    """Workers, with what is often asked of them."""

    def with_account(self) -> WorkerQuerySet:
        """Active workers who can sign in to an account of their own, so without guests."""
        return self.filter(active=True, user__isnull=False, external_id__isnull=True)


class Worker(models.Model):
    """Somebody who works on HITs. Workers with an account here have a `user`; others only an `external_id`.

    Guests, who come by link from an external study, have both: their `user` has no password and lasts for the visit.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="workers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="workers")
    external_id = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001  (unique if not null)
    public_id = models.CharField(max_length=64, default=worker_id)  # WorkerId in MTurk's protocol
    country = models.CharField(_("country"), max_length=2, blank=True)  # ISO 3166, as they say themselves
    subdivision = models.CharField(_("state or province"), max_length=3, blank=True)
    adult = models.BooleanField(_("of age, and willing to see adult content"), default=False)
    consented_version = models.PositiveIntegerField(default=0)
    consented_at = models.DateTimeField(null=True, blank=True)
    active = models.BooleanField(default=True)
    erased_at = models.DateTimeField(null=True, blank=True)  # personal data were erased then; responses stay
    created_at = TimestampField(auto_now_add=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="worker_once"),
            models.UniqueConstraint(fields=["project", "external_id"], name="worker_external_once"),
            models.UniqueConstraint(fields=["project", "public_id"], name="worker_id_once"),
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
    def is_awaited(self) -> bool:
        """Whether the worker is imported by MTurk worker ID and has not joined yet (flow/people/mturk_ids)."""
        return self.user_id is None and (self.external_id or "").startswith("mturk:")

    @property
    def consented(self) -> bool:
        return self.consented_version >= self.project.consent_version

    @property
    def has_withdrawn(self) -> bool:
        """Whether they withdrew the consent that they gave before."""
        return self.consented_at is not None and not self.consented_version


class Invite(models.Model):
    """A link by which people join the project as workers, or as members with a role."""

    class Role(models.TextChoices):
        WORKER = roles.ANNOTATOR, _("worker")
        REVIEWER = roles.REVIEWER, _("reviewer")
        REQUESTER = roles.REQUESTER, _("requester")
        OWNER = roles.OWNER, _("owner")

    project = models.ForeignKey(Project, models.CASCADE, related_name="invites")
    token = models.CharField(max_length=64, unique=True, default=random_key)
    role = models.CharField(max_length=10, choices=Role)
    note = models.CharField(_("note"), max_length=200, blank=True)
    places = models.PositiveIntegerField(_("number of people"), default=1)
    used = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(used__lte=models.F("places")), name="invite_not_overused"),
            one_of("role", ["worker", "reviewer", "requester", "owner"], name="invite_role_known"),
        ]

    @property
    def state(self) -> str:
        """One of: open, used, over, revoked."""
        if self.revoked_at:
            return "revoked"
        if self.expires_at <= clock.now():
            return "over"
        return "used" if self.used >= self.places else "open"


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


class OnlyAdded(Exception):
    """An attempt to change or remove a line of the log."""


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    def update(self, **columns: Any) -> NoReturn:
        raise OnlyAdded

    def delete(self) -> NoReturn:
        raise OnlyAdded


class AuditEntry(models.Model):
    """One action of a person, a command or a scheduled job, written in the transaction of the action.

    Database triggers (migrations) refuse changes and removals too, with two exceptions: `user` becomes null when an
    account is deleted, and the lines go when their project is erased (Erasure).
    """

    class Via(models.TextChoices):
        PAGE = "page", _("on a page")
        API = "api", _("through the API")
        MTURK_API = "mturk", _("through the MTurk API")
        JOB = "job", _("by a background job")
        COMMAND = "command", _("on the command line")
        CLOCK = "clock", _("automatically")

    project = models.ForeignKey(Project, models.CASCADE, related_name="log")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    via = models.CharField(max_length=7, choices=Via)
    act = models.CharField(max_length=30)  # an action of annotation/flow/projects/audit_log.py
    kind = models.CharField(max_length=20)  # of the object: dataset, batch, worker, member, …
    key = models.CharField(max_length=100)  # its slug or number, unique within its kind
    name = models.CharField(max_length=200, blank=True)  # as it was called then; empty for people
    batch = models.CharField(max_length=100, blank=True)  # name of the batch that it concerns, if any
    details = JSONTextField(default=dict)
    at = TimestampField(auto_now_add=True)

    objects = AuditQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "-at", "-id"], name="log_by_time"),
            models.Index(fields=["project", "batch", "-at"], name="log_of_batch"),
        ]

    def save(self, *args: Any, **options: Any) -> None:
        if self.pk is not None:
            raise OnlyAdded
        super().save(*args, **options)

    def delete(self, *args: Any, **options: Any) -> NoReturn:
        raise OnlyAdded
