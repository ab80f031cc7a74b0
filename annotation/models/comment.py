"""Requesters' comments among themselves, on items, HITs and responses. No worker ever sees one."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.assignment import Assignment
from annotation.models.batch import Hit
from annotation.models.dataset import Item
from annotation.models.fields import TimestampField
from annotation.models.project import Project


class Comment(models.Model):
    """A comment on an item; on one of its HITs, if it has a `hit`; on a response to that, if it has an `assignment`."""

    LONGEST = 2000  # characters

    project = models.ForeignKey(Project, models.CASCADE, related_name="comments")
    item = models.ForeignKey(Item, models.CASCADE, related_name="comments")  # the version that it was made on
    hit = models.ForeignKey(Hit, models.CASCADE, null=True, blank=True, related_name="comments")
    assignment = models.ForeignKey(Assignment, models.CASCADE, null=True, blank=True, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    text = models.TextField(max_length=LONGEST)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="comment_says_something"),
            models.CheckConstraint(
                condition=Q(assignment__isnull=True) | Q(hit__isnull=False), name="comment_on_response_has_hit"
            ),
        ]
        indexes = [models.Index(fields=["project", "id"], name="comment_in_order")]
