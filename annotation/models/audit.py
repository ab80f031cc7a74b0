"""The audit log of a project: who did what. Rows are only ever added."""

from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import JSONTextField, TimestampField
from annotation.models.project import Project


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
