"""Messages between a project and one of its workers."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.assignment import Assignment
from annotation.models.fields import TimestampField
from annotation.models.project import Worker


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
