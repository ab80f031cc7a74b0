"""Single HITs published on a marketplace, and the workers who came from there."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.marketplaces.models.connections import Connection, token
from annotation.models import Assignment, Hit
from annotation.models.fields import JSONTextField, StateRow, TimestampField, one_of
from annotation.models.money import amount_field
from annotation.pure.batches import lifecycle


class PublicationQuerySet(models.QuerySet["Publication"]):
    def unsent(self) -> PublicationQuerySet:
        """Publications that the marketplace has not confirmed."""
        return self.filter(state__in=[Publication.State.WAITING, Publication.State.SENDING])


class Publication(StateRow):
    """The intent to publish one HIT on a marketplace, exactly once.

    `wanted` and `closes_at` are absolute targets, so that extending can be retried. `first_try_at` is committed before
    any call: while the marketplace remembers the token we send it again; later we look for the HIT before we send.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("to be sent")
        SENDING = "sending", _("being sent")
        PUBLISHED = "published", _("published")
        FAILED = "failed", _("failed")

    hit = models.OneToOneField(Hit, models.CASCADE, related_name="publication")
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="publications")
    token = models.CharField(max_length=64, unique=True, default=token)
    annotation = models.CharField(max_length=255, unique=True)
    reward = amount_field()
    wanted = models.PositiveIntegerField()
    closes_at = models.DateTimeField()
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    external_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  (unique if not null)
    external_type = models.CharField(max_length=64, blank=True)
    tries = models.PositiveIntegerField(default=0)
    first_try_at = models.DateTimeField(null=True, blank=True)
    last_try_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    missed_at = models.DateTimeField(null=True, blank=True)  # a complete listing of the marketplace did not contain it
    error = models.TextField(blank=True)
    remote = JSONTextField(default=dict)  # the HIT as last read from the marketplace: status, counters
    synced_at = models.DateTimeField(null=True, blank=True)

    objects = PublicationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["connection", "external_id"], name="publication_external_once"),
            one_of("state", ["waiting", "sending", "published", "failed"], name="publication_state_known"),
            models.CheckConstraint(
                condition=~Q(state="published") | Q(external_id__isnull=False), name="publication_has_its_id"
            ),
        ]
        indexes = [
            models.Index(fields=["due_at"], name="publication_unsent", condition=Q(state__in=["waiting", "sending"]))
        ]


class Arrival(models.Model):
    """A worker sent to a HIT by a marketplace. Marketplaces reuse assignment ids, so the key includes the worker."""

    publication = models.ForeignKey(Publication, models.PROTECT, related_name="arrivals")
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="arrivals")
    external_assignment = models.CharField(max_length=64)
    external_worker = models.CharField(max_length=64)
    assignment = models.OneToOneField(Assignment, models.PROTECT, null=True, blank=True, related_name="arrival")
    submit_to = models.CharField(max_length=500)
    arrived_at = TimestampField(auto_now_add=True)
    posted_at = models.DateTimeField(null=True, blank=True)  # browser sent to the marketplace's submit URL
    remote_state = models.CharField(max_length=10, blank=True)  # Submitted, Approved or Rejected, as last read
    remote = JSONTextField(default=dict)  # times as last read
    trouble = models.CharField(max_length=200, blank=True)  # problem found by the last sync
    synced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["connection", "external_assignment", "external_worker"], name="arrival_once"
            ),
        ]

    @property
    def work(self) -> Assignment:
        """The assignment of an arrival that holds one."""
        assert self.assignment is not None  # arrivals.holder leaves out others
        return self.assignment

    @property
    def is_answered(self) -> bool:
        """Whether its response was submitted here."""
        return self.assignment is not None and self.assignment.state == lifecycle.SUBMITTED
