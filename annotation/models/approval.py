"""Decisions on pay."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.assignment import Assignment
from annotation.models.fields import TimestampField


class Approval(models.Model):
    """An approval or rejection of an assignment. Rows are only ever added; `Assignment.approval` is the last one."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="approvals")
    decision = models.CharField(max_length=8, choices=Assignment.Approved)
    text = models.TextField(blank=True)  # message to the worker
    source = models.CharField(max_length=10)  # requester, auto, policy, wire
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(decision__in=["approved", "rejected"]), name="approval_decision_known")
        ]
