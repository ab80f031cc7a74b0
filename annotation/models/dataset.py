"""Datasets and their items. An item's content never changes; a dataset shows itself only once it is whole."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import JSONTextField
from annotation.models.project import Project
from annotation.pure.example import Example


class DatasetQuerySet(models.QuerySet["Dataset"]):
    def whole(self) -> DatasetQuerySet:
        """Those that are completely there."""
        return self.filter(state=Dataset.State.READY)


class Dataset(models.Model):
    class State(models.TextChoices):
        IMPORTING = "importing", _("being imported")
        READY = "ready", _("ready")
        REMOVING = "removing", _("being removed")

    project = models.ForeignKey(Project, models.CASCADE, related_name="datasets")
    slug = models.SlugField(_("name"), max_length=100)
    state = models.CharField(max_length=10, choices=State, default=State.IMPORTING)
    format = models.CharField(max_length=30)
    sha256 = models.CharField(max_length=64)
    file_name = models.CharField(max_length=255, blank=True)
    licence = models.CharField(_("licence"), max_length=200, blank=True)
    source = models.CharField(_("where it comes from"), max_length=500, blank=True)
    size = models.PositiveIntegerField(default=0)  # items
    features = JSONTextField(default=dict)  # tasktype.Features, less the number of datasets
    report = JSONTextField(default=dict)  # what the import read, accepted, skipped and warned of
    lineage = JSONTextField(default=dict)  # {"source", "how", "options", "seed", "version"} of a derived one
    root = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="descendants")
    beat_at = models.DateTimeField(auto_now_add=True)  # an import under way says so now and then
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar = DatasetQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="dataset_name_once"),
            models.CheckConstraint(
                condition=Q(state__in=["importing", "ready", "removing"]), name="dataset_state_known"
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class ItemQuerySet(models.QuerySet["Item"]):
    def holding(self, text: str) -> ItemQuerySet:
        """Those with the text in their question, in any case, or with exactly this id."""
        return self.filter(Q(question__icontains=text) | Q(source_id=text))


class Item(models.Model):
    """One record of a dataset. `content` is an Example as JSON; the other columns are read off it."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()  # 0-based
    source_id = models.CharField(max_length=500)
    group_key = models.CharField(max_length=300)  # equal for items that must not meet one worker freely
    question = models.TextField()
    hops = models.PositiveSmallIntegerField(default=0)  # 0: not known
    shape = models.CharField(max_length=60, blank=True)
    answerable = models.BooleanField(null=True, blank=True)  # None: the source does not say
    content = JSONTextField()

    objects: ClassVar = ItemQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "position"], name="item_position_once")]
        indexes = [models.Index(fields=["dataset", "source_id"], name="item_by_source_id")]

    def __str__(self) -> str:
        """The question, or where it is still to be written, the source's id: for requesters only."""
        return self.question or self.source_id

    @property
    def example(self) -> Example:
        return Example.from_json(self.content)
