"""What people are told of without having asked: a row for each person and event, and what was noticed of a batch."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.batch import Batch
from annotation.models.fields import JSONTextField, TimestampField
from annotation.models.job import Job
from annotation.models.project import Project


class Notice(models.Model):
    """One person is told of one event. `key` names the event, so that whoever notices it twice tells it once."""

    class Kind(models.TextChoices):
        WORK = "work", _("new work for you")
        FINISHED = "finished", _("a batch is finished")
        STALLED = "stalled", _("a batch stands still")
        FAILED = "failed", _("an import, a launch or another job failed")
        MONEY = "money", _("the budget runs out")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices")
    project = models.ForeignKey(Project, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=8, choices=Kind)
    key = models.CharField(max_length=120)
    batch = models.ForeignKey(Batch, models.CASCADE, null=True, blank=True, related_name="notices")
    job = models.ForeignKey(Job, models.CASCADE, null=True, blank=True, related_name="notices")
    facts = JSONTextField(default=dict)  # what the sentence names besides: {"hours"} or {"left", "put_in"}
    created_at = TimestampField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)
    letter = models.UUIDField(null=True, blank=True)  # in which it goes out by mail, the same at each try
    mail_lease_until = models.DateTimeField(null=True, blank=True)  # somebody is sending the letter until then
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="notice_once"),
            models.CheckConstraint(
                condition=Q(kind__in=["work", "finished", "stalled", "failed", "money"]), name="notice_kind_known"
            ),
        ]
        indexes = [
            models.Index(fields=["user"], name="notice_unread", condition=Q(read_at__isnull=True)),
            models.Index(fields=["user", "-created_at"], name="notice_by_time"),
            models.Index(fields=["letter"], name="notice_letter", condition=Q(letter__isnull=False)),
        ]


class BatchNews(models.Model):
    """What was noticed of a batch and told. A time is empty while the thing is not so, or not so any more."""

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="news")
    told_at = models.DateTimeField(null=True, blank=True)  # its workers were told that it opened
    open_since = models.DateTimeField(null=True, blank=True)  # without a pause
    finished_at = models.DateTimeField(null=True, blank=True)  # nothing is left to answer
    stalled_at = models.DateTimeField(null=True, blank=True)
    to_adjudicate = models.PositiveIntegerField(default=0)  # HITs that people leave open, when counted last
    in_doubt = models.PositiveIntegerField(default=0)  # items whose gold people contradict, not decided on
    counted_at = models.DateTimeField(null=True, blank=True)
    tenths = models.PositiveSmallIntegerField(default=0)  # of the answers that it wants, as webhooks were told last
