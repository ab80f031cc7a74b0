"""Datasets and their items. A row's content never changes: an edit is a new row, in the same position of the dataset.

A dataset shows itself only once it is whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import JSONTextField, TimestampField
from annotation.models.project import Project
from annotation.pure.example import Example


class DatasetQuerySet(models.QuerySet["Dataset"]):
    def whole(self) -> DatasetQuerySet:
        """Those that are completely there."""
        return self.filter(state=Dataset.State.READY)

    def offered(self, *, besides: Iterable[Dataset] = ()) -> DatasetQuerySet:
        """Those to choose from for something new: whole, and not retired or among these."""
        return self.whole().filter(Q(retired_at__isnull=True) | Q(pk__in=[one.pk for one in besides]))


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
    stand = models.CharField(max_length=64, blank=True)  # SHA-256 of what it holds, once items were edited or retired
    retired_at = models.DateTimeField(null=True, blank=True)  # not offered for new batches since
    beat_at = TimestampField(auto_now_add=True)  # an import under way says so now and then
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

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

    @property
    def digest(self) -> str:
        """SHA-256 of what it holds now: of its file, as long as no item was edited or retired."""
        return self.stand or self.sha256


# A question no longer than this stands in an index, which is read instead of the items where text is looked for.
SHORT_QUESTION = 600  # characters: as UTF-8 still fewer bytes than PostgreSQL's indexes take
models.TextField.register_lookup(Length)


class ItemQuerySet(models.QuerySet["Item"]):
    def holding(self, text: str) -> ItemQuerySet:
        """Those with the text in their question, in any case, or with exactly this id."""
        return self.filter(Q(question__icontains=text) | Q(source_id=text))

    def usable(self) -> ItemQuerySet:
        """Those that were not retired."""
        return self.filter(retired_at__isnull=True)

    def asking(self, text: str) -> Iterator[int]:
        """The keys of those with the text in their question, in any case: from the index, then from the few others."""
        asked = self.filter(question__icontains=text).order_by().values_list("pk", flat=True)
        yield from asked.filter(question__length__lte=SHORT_QUESTION).iterator(chunk_size=20)
        yield from asked.filter(question__length__gt=SHORT_QUESTION).iterator(chunk_size=20)


class CurrentItems(models.Manager.from_queryset(ItemQuerySet)):  # type: ignore[misc]
    """The newest version of each item; what points to an older one still finds it."""

    def get_queryset(self) -> ItemQuerySet:
        return super().get_queryset().filter(superseded_at__isnull=True)


class Item(models.Model):
    """One version of a record of a dataset. `content` is an Example as JSON; the other columns are read off it."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()  # 0-based
    source_id = models.CharField(max_length=500)
    group_key = models.CharField(max_length=300)  # equal for items that must not meet one worker freely
    question = models.TextField()
    hops = models.PositiveSmallIntegerField(default=0)  # 0: not known
    shape = models.CharField(max_length=60, blank=True)
    answerable = models.BooleanField(null=True, blank=True)  # None: the source does not say
    content = JSONTextField()
    version = models.PositiveIntegerField(default=1)
    superseded_at = models.DateTimeField(null=True, blank=True)  # by a later version in the same position
    note = models.CharField(max_length=500, blank=True)  # why this version was made
    edited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    edited_at = models.DateTimeField(null=True, blank=True)  # None: as it came with the dataset
    retired_at = models.DateTimeField(null=True, blank=True)  # in no new batch and no export since
    retired_reason = models.CharField(max_length=500, blank=True)

    objects: ClassVar = CurrentItems()
    every: ClassVar = ItemQuerySet.as_manager()  # older versions included

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "position"], condition=Q(superseded_at__isnull=True), name="item_position_once"
            ),
            models.UniqueConstraint(fields=["dataset", "position", "version"], name="item_version_once"),
        ]
        indexes = [
            models.Index(fields=["dataset", "source_id"], name="item_by_source_id"),
            models.Index(
                fields=["dataset", "question"],
                name="item_question",
                condition=Q(question__length__lte=SHORT_QUESTION, superseded_at__isnull=True),
            ),
            models.Index(
                fields=["dataset"],
                name="item_long_question",
                condition=Q(question__length__gt=SHORT_QUESTION, superseded_at__isnull=True),
            ),
            models.Index(  # so that nobody reads through an item's long content for the columns behind it
                fields=["dataset", "position"],
                name="item_usable",
                condition=Q(superseded_at__isnull=True, retired_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        """The question; where it is still to be written those of its hops, if they are at hand, or the source's id.

        For requesters only.
        """
        return self.question or self.hop_questions or self.source_id

    @cached_property
    def hop_questions(self) -> str:
        """The questions of its hops in a line; "" where the content was not read."""
        if "content" in self.get_deferred_fields():
            return ""
        return " · ".join(hop["question"] for hop in self.content.get("hops") or ())

    @property
    def example(self) -> Example:
        return Example.from_json(self.content)
