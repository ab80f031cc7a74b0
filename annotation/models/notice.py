"""Notices to people, the state of a batch that they are made from, and messages between a project and a worker."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.assignment import Assignment
from annotation.models.batch import Batch
from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.job import Job
from annotation.models.project import Project, Worker
from annotation.models.review import Comment


class Notice(models.Model):
    """A notice to one person about one event. `key` names the event, so that noticing it twice makes one notice."""

    class Kind(models.TextChoices):
        WORK = "work", _("new work for you")
        FINISHED = "finished", _("a batch is finished")
        STALLED = "stalled", _("a batch has stalled")
        FAILED = "failed", _("an import, a launch or another job failed")
        MONEY = "money", _("the budget is running out")
        COMMENT = "comment", _("somebody mentions you in a comment")
        PASSWORD = "password", _("a new password by a link")  # always on

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notices")
    project = models.ForeignKey(Project, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=8, choices=Kind)
    key = models.CharField(max_length=120)
    batch = models.ForeignKey(Batch, models.CASCADE, null=True, blank=True, related_name="notices")
    job = models.ForeignKey(Job, models.CASCADE, null=True, blank=True, related_name="notices")
    comment = models.ForeignKey(Comment, models.CASCADE, null=True, blank=True, related_name="notices")
    facts = JSONTextField(default=dict)  # figures in its text: {"hours"} or {"left", "put_in"}
    created_at = TimestampField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)
    mail_id = models.UUIDField(null=True, blank=True)  # id of the mail it goes out in, the same at each attempt
    mail_lease_until = models.DateTimeField(null=True, blank=True)  # a process is sending that mail until then
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="notice_once"),
            one_of(
                "kind",
                ["work", "finished", "stalled", "failed", "money", "comment", "password"],
                name="notice_kind_known",
            ),
        ]
        indexes = [
            models.Index(fields=["user"], name="notice_unread", condition=Q(read_at__isnull=True)),
            models.Index(fields=["user", "-created_at"], name="notice_by_time"),
            models.Index(fields=["mail_id"], name="notice_letter", condition=Q(mail_id__isnull=False)),
        ]


class BatchActivity(models.Model):
    """State of a batch's notices. Each time is null while its condition does not hold."""

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="activity")
    announced_at = models.DateTimeField(null=True, blank=True)  # when its workers were notified of its opening
    open_since = models.DateTimeField(null=True, blank=True)  # without a pause
    finished_at = models.DateTimeField(null=True, blank=True)  # since when no response is missing
    stalled_at = models.DateTimeField(null=True, blank=True)
    to_adjudicate = models.PositiveIntegerField(default=0)  # HITs to adjudicate, when last counted
    in_doubt = models.PositiveIntegerField(default=0)  # undecided items with gold in doubt
    counted_at = models.DateTimeField(null=True, blank=True)
    announced_tenths = models.PositiveSmallIntegerField(default=0)  # of the wanted responses, as last sent to webhooks


class Message(models.Model):
    """A message to a worker, or from one (`from_worker`). Unlike Feedback it need not be acknowledged."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="messages")
    assignment = models.ForeignKey(Assignment, models.CASCADE, null=True, blank=True, related_name="messages")
    subject = models.CharField(max_length=200, blank=True)
    text = models.TextField(max_length=4096)
    from_worker = models.BooleanField(default=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)  # of the process that passes it on to a marketplace

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="message_says_something")]
        indexes = [models.Index(fields=["worker", "-created_at"], name="message_by_time")]
