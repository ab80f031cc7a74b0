"""Batches, their guides and their HITs."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from annotation.models.dataset import Dataset, Item
from annotation.models.fields import JSONTextField
from annotation.models.project import Project, Worker, public_id
from annotation.pure import lifecycle


class Batch(models.Model):
    """HITs launched together. A launch fills it invisibly; the last step opens it."""

    class State(models.TextChoices):
        DRAFT = lifecycle.DRAFT, _("draft")
        LAUNCHING = lifecycle.LAUNCHING, _("being launched")
        OPEN = lifecycle.OPEN, _("open")
        PAUSED = lifecycle.PAUSED, _("paused")
        CLOSED = lifecycle.CLOSED, _("closed")

    class Meeting(models.TextChoices):
        ONE = "one", _("one only: whoever met one member of a group gets no other")
        APART = "apart", _("not in a row: another item comes between")
        FREE = "free", _("freely")

    class Purpose(models.TextChoices):
        PRODUCTION = "production", _("production")
        QUALIFICATION = "qualification", _("qualification")

    project = models.ForeignKey(Project, models.CASCADE, related_name="batches")
    slug = models.SlugField(_("name"), max_length=100)
    title = models.CharField(_("title that annotators read"), max_length=200)
    task = models.CharField(_("task"), max_length=40)
    options = JSONTextField(default=dict)
    datasets = models.ManyToManyField(Dataset, related_name="batches")
    sample = models.PositiveIntegerField(_("items from each dataset"), null=True, blank=True)
    seed = models.BigIntegerField(default=0)
    assignments_per_hit = models.PositiveIntegerField(_("assignments per HIT"), default=3)
    expected_seconds = models.PositiveIntegerField(_("expected time"), default=0)
    meeting = models.CharField(_("members of a group"), max_length=5, choices=Meeting, default=Meeting.ONE)
    purpose = models.CharField(max_length=13, choices=Purpose, default=Purpose.PRODUCTION)
    fresh_only = models.BooleanField(_("no items that a worker met in another batch"), default=True)
    disjoint = models.BooleanField(_("qualification and production share no items"), default=True)
    workers = models.ManyToManyField(Worker, blank=True, related_name="chosen_for")  # none: everybody
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    size = models.PositiveIntegerField(default=0)  # HITs, once launched
    next_ticket = models.PositiveBigIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    launched_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="batch_name_once"),
            models.CheckConstraint(condition=Q(state__in=list(lifecycle.BATCH_MOVES)), name="batch_state_known"),
            models.CheckConstraint(condition=Q(assignments_per_hit__gte=1), name="batch_asks_somebody"),
        ]

    def __str__(self) -> str:
        return self.title

    def move(self, to: str, **stamps: Any) -> bool:
        """Guarded move; False when the batch was not in a state from which `to` can be reached."""
        states = lifecycle.origins(lifecycle.BATCH_MOVES, to)
        moved = Batch.objects.filter(pk=self.pk, state__in=states).update(state=to, **stamps)
        if moved:
            self.refresh_from_db(fields=["state", *stamps])
        return bool(moved)

    @property
    def lease_seconds(self) -> int:
        """Three times the expected time, at least ten minutes."""
        return max(600, 3 * self.expected_seconds)

    @property
    def guide(self) -> Guide:
        return self.guides.order_by("-version").first() or Guide(batch=self, version=0, text="")


class Guide(models.Model):
    """One version of a batch's instructions. Versions are never edited; a change is a new version."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="guides")
    version = models.PositiveIntegerField()
    text = models.TextField(_("guide"))  # Markdown
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "version"], name="guide_version_once")]


class HitQuerySet(models.QuerySet["Hit"]):
    def open(self) -> HitQuerySet:
        """Those that still want an assignment."""
        return self.filter(room__gt=0, voided_at__isnull=True)


class Hit(models.Model):
    """An item put before people. `payload` is frozen: what was shown is stored.

    `ticket` orders the queue: a HIT whose place becomes free again goes to its end, so that a worker's
    cursor only ever moves forward (docs/architecture.md, "The next assignment").
    """

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="hits")
    item = models.ForeignKey(Item, models.PROTECT, related_name="hits")
    public_id = models.CharField(max_length=32, unique=True, default=public_id)
    group_key = models.CharField(max_length=300)
    payload = JSONTextField()
    ticket = models.PositiveBigIntegerField()
    wanted = models.PositiveIntegerField()
    live = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    room = models.GeneratedField(
        expression=F("wanted") - F("live") - F("done"), output_field=models.IntegerField(), db_persist=True
    )
    disagreement = models.FloatField(null=True, blank=True)  # 0..1, as of the last report
    voided_at = models.DateTimeField(null=True, blank=True)
    void_reason = models.CharField(max_length=500, blank=True)

    objects: ClassVar = HitQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["batch", "item"], name="hit_once_per_batch"),
            models.CheckConstraint(condition=Q(wanted__gte=F("live") + F("done")), name="hit_not_overallocated"),
        ]
        indexes = [
            models.Index(
                fields=["batch", "ticket"],
                name="hit_queue",
                condition=Q(room__gt=0, voided_at__isnull=True),
            ),
            models.Index(fields=["batch", "-disagreement"], name="hit_by_disagreement"),
        ]


class BatchReport(models.Model):
    """The report as last computed. `stand` says of which judgments, so that a stale one is known."""

    batch = models.OneToOneField(Batch, models.CASCADE, related_name="report")
    stand = models.CharField(max_length=200)
    content = JSONTextField()
    created_at = models.DateTimeField(auto_now=True)
