"""Datasets and their items. An item's content never changes: an edit is a new row in the same position.

A dataset is visible only once it is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.project import Project
from annotation.pure.data.example import Example
from annotation.pure.reports.baselines import SHOWN


class DatasetQuerySet(models.QuerySet["Dataset"]):
    def whole(self) -> DatasetQuerySet:
        """Datasets whose import is complete."""
        return self.filter(state=Dataset.State.READY)

    def offered(self, *, besides: Iterable[Dataset] = ()) -> DatasetQuerySet:
        """Datasets offered for new batches: complete, and not archived unless in `besides`."""
        return self.whole().filter(Q(archived_at__isnull=True) | Q(pk__in=[one.pk for one in besides]))


class Dataset(models.Model):
    class State(models.TextChoices):
        IMPORTING = "importing", _("importing")
        READY = "ready", _("ready")
        REMOVING = "removing", _("deleting")

    project = models.ForeignKey(Project, models.CASCADE, related_name="datasets")
    slug = models.SlugField(_("name"), max_length=100)
    state = models.CharField(max_length=10, choices=State, default=State.IMPORTING)
    format = models.CharField(max_length=30)
    sha256 = models.CharField(max_length=64)
    file_name = models.CharField(max_length=255, blank=True)
    licence = models.CharField(_("licence"), max_length=200, blank=True)
    source = models.CharField(_("source"), max_length=500, blank=True)
    ethics = models.CharField(_("ethics approval"), max_length=500, blank=True, default="", db_default="")
    consent = models.CharField(_("consent"), max_length=500, blank=True, default="", db_default="")  # of the workers
    size = models.PositiveIntegerField(default=0)  # items
    features = JSONTextField(default=dict)  # tasktype.Features, less the number of datasets
    report = JSONTextField(default=dict)  # of the import: read, accepted, skipped, warnings
    lineage = JSONTextField(default=dict)  # {"source", "how", "options", "seed", "version"} of a derived dataset
    root = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="descendants")
    stand = models.CharField(max_length=64, blank=True)  # SHA-256 of its current items, once any was edited or archived
    archived_at = models.DateTimeField(null=True, blank=True)  # archived since
    beat_at = TimestampField(auto_now_add=True)  # heartbeat of an import under way
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    objects = DatasetQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="dataset_name_once"),
            one_of("state", ["importing", "ready", "removing"], name="dataset_state_known"),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def digest(self) -> str:
        """SHA-256 of its current content: of its file, as long as no item was edited or archived."""
        return self.stand or self.sha256


# Questions up to this length are in an index of their own, so that a text search need not read whole items.
SHORT_QUESTION = 600  # characters: at most 2,400 bytes of UTF-8; PostgreSQL refuses index rows over some 2,700
models.TextField.register_lookup(Length)


class ItemQuerySet(models.QuerySet["Item"]):
    def holding(self, text: str) -> ItemQuerySet:
        """Items with the text in their question, ignoring case, or with exactly this id."""
        return self.filter(Q(question__icontains=text) | Q(source_id=text))

    def usable(self) -> ItemQuerySet:
        """Items that were not archived."""
        return self.filter(archived_at__isnull=True)

    def asking(self, text: str) -> Iterator[int]:
        """Primary keys of items with the text in their question, ignoring case: short questions first, by index."""
        asked = self.filter(question__icontains=text).order_by().values_list("pk", flat=True)
        yield from asked.filter(question__length__lte=SHORT_QUESTION).iterator(chunk_size=20)
        yield from asked.filter(question__length__gt=SHORT_QUESTION).iterator(chunk_size=20)


class CurrentItems(models.Manager.from_queryset(ItemQuerySet)):  # type: ignore[misc]  # a class made by a call
    """The manager for lists: the newest version of each item. Foreign keys still find older ones."""

    def get_queryset(self) -> ItemQuerySet:
        rows: ItemQuerySet = super().get_queryset().filter(superseded_at__isnull=True)
        return rows


class Item(models.Model):
    """One version of an item. `content` is an Example as JSON; question, hops, shape and so on are copied from it."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()  # 0-based
    source_id = models.CharField(max_length=500)
    group_key = models.CharField(max_length=300)  # items made from the same original share it
    question = models.TextField()
    hops = models.PositiveSmallIntegerField(default=0)  # 0: unknown
    shape = models.CharField(max_length=60, blank=True)
    answerable = models.BooleanField(null=True, blank=True)  # null: the source does not say
    content = JSONTextField()
    version = models.PositiveIntegerField(default=1)
    superseded_at = models.DateTimeField(null=True, blank=True)  # by a newer version in the same position
    note = models.CharField(max_length=500, blank=True)  # why this version was made
    edited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    edited_at = models.DateTimeField(null=True, blank=True)  # null: as imported
    archived_at = models.DateTimeField(null=True, blank=True)  # since then in no new batch and no export
    archive_reason = models.CharField(max_length=500, blank=True)

    objects = CurrentItems()
    every = ItemQuerySet.as_manager()  # includes older versions

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
            models.Index(  # so that counts and lists never read the items' long content
                fields=["dataset", "position"],
                name="item_usable",
                condition=Q(superseded_at__isnull=True, archived_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        """The question; if it is still to be composed, the hops' questions or the source's id. For requesters only."""
        return self.question or self.hop_questions or self.source_id

    @cached_property
    def hop_questions(self) -> str:
        """The questions of its hops in a line; "" if `content` is deferred, rather than load it for each row."""
        if "content" in self.get_deferred_fields():
            return ""
        return " · ".join(hop["question"] for hop in self.content.get("hops") or ())

    @property
    def example(self) -> Example:
        return Example.from_json(self.content)


class GroupPart(models.Model):
    """A group of items that another group is made of: of a pair its questions, of a graph those and its pairs.

    Both are group keys of items. A worker who met the one has met the other (flow/work/met_groups).
    """

    root = models.ForeignKey(Dataset, models.CASCADE, related_name="group_parts")  # the imported dataset of both
    group_key = models.CharField(max_length=300)
    part_key = models.CharField(max_length=300)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["group_key", "part_key"], name="group_part_once")]
        indexes = [models.Index(fields=["part_key"], name="group_part_by_part")]


class PredictionSet(models.Model):
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="prediction_sets")
    model = models.CharField(max_length=200)
    # what the model was shown; "": the items as they are
    shown = models.CharField(
        max_length=20, choices=[(name, name) for name in SHOWN], blank=True, default="", db_default=""
    )
    sha256 = models.CharField(max_length=64)
    ready = models.BooleanField(default=False)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "model", "shown"], name="prediction_set_once_shown")]

    def __str__(self) -> str:
        return self.model


class PredictionQuerySet(models.QuerySet["Prediction"]):
    def of_models(self) -> PredictionQuerySet:
        """Complete predictions made from the items as they are."""
        return self.filter(prediction_set__ready=True, prediction_set__shown="")

    def of_baselines(self) -> PredictionQuerySet:
        """Complete predictions of models that were shown less."""
        return self.filter(prediction_set__ready=True).exclude(prediction_set__shown="")


class Prediction(models.Model):
    prediction_set = models.ForeignKey(PredictionSet, models.CASCADE, related_name="predictions")
    item = models.ForeignKey(Item, models.CASCADE, related_name="predictions")
    content = JSONTextField()  # {"text", "support": [positions] | null, "facts": [[p, s]] | null, "answerable"}

    objects = PredictionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["prediction_set", "item"], name="prediction_once")]
