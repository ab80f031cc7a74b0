"""Rows of the MTurk API: HIT types, listings, request tokens, policy outcomes and notifications.

A HIT type is a batch of the task `external`, a HIT is a Hit with a Listing, an assignment an Assignment.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from annotation.models import AccessKey, Batch, Hit, Project
from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.money import amount_field
from annotation.models.project import mturk_id


class HitType(models.Model):
    """A batch as a HIT type of the MTurk API: equal terms give the same type (`digest`)."""

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="hit_type")
    project = models.ForeignKey(Project, models.CASCADE, related_name="hit_types")
    public_id = models.CharField(max_length=64, unique=True, default=mturk_id)
    group_id = models.CharField(max_length=64, unique=True, default=mturk_id)
    digest = models.CharField(max_length=64)
    created_at = TimestampField(auto_now_add=True)
    available_key: int  # where flow/hit_creation.py asks for them
    held_key: int | None
    dataset_key: int | None

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "digest"], name="hit_type_once")]


class ListingQuerySet(models.QuerySet["Listing"]):
    def present(self) -> ListingQuerySet:
        """Listings that were not deleted."""
        return self.filter(deleted_at__isnull=True)


class Listing(models.Model):
    """A HIT created through the MTurk API. Its status is computed from the HIT's counters, never stored."""

    hit = models.OneToOneField(Hit, models.CASCADE, related_name="listing")
    project = models.ForeignKey(Project, models.CASCADE, related_name="listings")
    annotation = models.CharField(max_length=255, blank=True)
    layout_id = models.CharField(max_length=64, blank=True)
    first_places = models.PositiveIntegerField(default=1)  # MaxAssignments at creation
    reviewing = models.BooleanField(default=False)
    held = amount_field(default=Decimal(0))  # of held/<batch>, for this HIT
    moves = models.PositiveIntegerField(default=0)  # how often `held` changed; part of the ledger's keys
    due_at = models.DateTimeField(null=True, blank=True)  # when it expires or is deleted next
    assignment_policy = JSONTextField(null=True, blank=True)
    hit_policy = JSONTextField(null=True, blank=True)
    created_at = models.DateTimeField()
    expired: bool  # of queries that ask for it, as is `completed`
    completed: int
    extended_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    expiry_noticed = models.DateTimeField(null=True, blank=True)  # the `closes_at` whose passing was handled
    reviewable_noticed = models.PositiveIntegerField(null=True, blank=True)  # wanted + done when that was handled

    objects: ClassVar = ListingQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "created_at", "id"], name="listing_list"),
            models.Index(fields=["project", "annotation"], name="listing_by_annotation"),
            models.Index(fields=["project", "due_at"], name="listing_due", condition=Q(due_at__isnull=False)),
        ]


class RequestToken(models.Model):
    """A used UniqueRequestToken, with the id of the created object; deleted after 24 hours."""

    project = models.ForeignKey(Project, models.CASCADE)
    family = models.CharField(max_length=40)  # of operations that share one namespace of tokens
    token = models.CharField(max_length=64)
    result = models.CharField(max_length=64, blank=True)  # id of the created object
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "family", "token"], name="request_token_once")]


class PolicyOutcome(models.Model):
    """A result or an action of a review policy. An action is first written as INTENDED, then carried out once."""

    public_id = models.CharField(max_length=64, unique=True, default=mturk_id)
    listing = models.ForeignKey(Listing, models.CASCADE, related_name="outcomes")
    level = models.CharField(max_length=10)  # Assignment or HIT
    action = models.BooleanField(default=False)  # an action; else a result
    subject_type = models.CharField(max_length=10)
    subject_id = models.CharField(max_length=64)
    question_id = models.CharField(max_length=255, blank=True)
    key = models.CharField(max_length=60)  # of the result, or the action's name
    value = models.TextField(blank=True)  # of the result, or the action's result
    status = models.CharField(max_length=10, blank=True)  # of the action: INTENDED, SUCCEEDED or FAILED
    text = models.TextField(blank=True)  # message of the action to the worker
    error = models.CharField(max_length=60, blank=True)  # TurkErrorCode of a failed action
    done_at = models.DateTimeField(null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["id"], name="policy_intended", condition=Q(status="INTENDED"))]

    def move(self, to: str, **stamps: Any) -> bool:
        """Change the status of an intended action; False if another process changed it first."""
        return bool(PolicyOutcome.objects.filter(pk=self.pk, status="INTENDED").update(status=to, **stamps))


class NotificationSetting(models.Model):
    """Destination of a HIT type's events: the URL of a signed webhook, or a polled queue."""

    hit_type = models.OneToOneField(HitType, models.CASCADE, related_name="notification")
    destination = models.CharField(max_length=500)
    transport = models.CharField(max_length=10)
    version = models.CharField(max_length=20)
    events = JSONTextField(default=list)
    active = models.BooleanField(default=True)
    key = models.ForeignKey(AccessKey, models.SET_NULL, null=True, blank=True)  # its secret signs the notifications


class Event(models.Model):
    """A notification to be delivered, at least once; receivers recognise repeats by `public_id` (EventDocId)."""

    class State(models.TextChoices):
        DUE = "due"
        DELIVERED = "delivered"
        FAILED = "failed"

    public_id = models.CharField(max_length=64, unique=True, default=mturk_id)
    project = models.ForeignKey(Project, models.CASCADE, related_name="events")
    destination = models.CharField(max_length=500)
    transport = models.CharField(max_length=10)
    content = JSONTextField()  # the request body
    key = models.ForeignKey(AccessKey, models.SET_NULL, null=True, blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.DUE)
    tries = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [one_of("state", ["due", "delivered", "failed"], name="event_state_known")]
        indexes = [
            models.Index(fields=["due_at"], name="event_due", condition=Q(state="due")),
            models.Index(fields=["project", "destination", "due_at"], name="event_queue", condition=Q(state="due")),
        ]
