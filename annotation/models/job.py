"""The outbox of background jobs. Rows are the queue; Celery or the thread only wake a worker up."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.project import Project, public_id


class Job(models.Model):
    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    project = models.ForeignKey(Project, models.CASCADE, related_name="jobs")
    public_id = models.CharField(max_length=32, unique=True, default=public_id)
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=300)
    arguments = JSONTextField(default=dict)
    state = models.CharField(max_length=7, choices=State, default=State.WAITING)
    due_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveIntegerField(default=0)
    done = models.PositiveBigIntegerField(default=0)  # progress out of `total`, in the job's own unit
    total = models.PositiveBigIntegerField(default=0)
    result = JSONTextField(default=dict)
    error = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [one_of("state", ["waiting", "running", "done", "failed"], name="job_state_known")]
        indexes = [
            models.Index(fields=["due_at"], name="job_due", condition=Q(state__in=["waiting", "running"])),
            models.Index(fields=["ended_at"], name="job_failed", condition=Q(state="failed")),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def files(self) -> list[Path]:
        """Uploaded files that the job reads."""
        uploads = self.arguments.get("uploads", {}).values()
        named = [self.arguments.get("path"), *(each.get("path") for each in uploads)]
        return [Path(name) for name in named if name]

    def finish(self, state: str, **stamps: Any) -> bool:
        """End this run; False if another run took the job over or ended it first."""
        mine = Job.objects.filter(pk=self.pk, state=Job.State.RUNNING, tries=self.tries)
        return bool(mine.update(state=state, **stamps))
