"""What views of datasets share: finding one, and what datasets and items look like outside."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.base import ProjectView
from annotation.api.lists import JSON, ProjectList
from annotation.console_forms import NAMES_OF_PAGES
from annotation.flow.lineage import sources_of
from annotation.models import Dataset, Project


def dataset_named(project: Project, name: str) -> Dataset:
    """A whole dataset of the project; 404 for any other."""
    rows = Dataset.objects.whole().select_related("root", "created_by")
    return get_object_or_404(rows, project=project, slug=name)


def no_page(name: str) -> None:
    """Validates a dataset's name. Raises ValidationError for a word that is an address of its own."""
    if name in NAMES_OF_PAGES:
        raise serializers.ValidationError(_("This word has a page of its own. Choose another name."))


class OfDataset:
    """Below a dataset: `dataset` stands before a method runs."""

    project: Project
    dataset: Dataset

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)  # type: ignore[misc]
        self.dataset = dataset_named(self.project, kwargs["name"])


class DatasetView(OfDataset, ProjectView):
    """One thing of a dataset."""


class DatasetList(OfDataset, ProjectList):
    """A list of things of a dataset."""


class DatasetSerializer(serializers.Serializer):
    """A dataset. An edited item is a new version of it; what it came with stays known."""

    name = serializers.SlugField(source="slug")
    size = serializers.IntegerField(help_text="items")
    format = serializers.CharField(help_text="of the file that it came in")
    sha256 = serializers.CharField(help_text="of the file that it came in")
    digest = serializers.CharField(help_text="of what it holds now; another once items were edited or retired")
    file_name = serializers.CharField()
    licence = serializers.CharField()
    source = serializers.CharField(help_text="where it comes from")
    made_of = serializers.SerializerMethodField(help_text="the datasets that it was derived or gathered from")
    how = serializers.SerializerMethodField(help_text="the way of the derivation; empty for an imported file")
    created_at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(allow_null=True, help_text="not offered for new batches since")

    def get_made_of(self, dataset: Dataset) -> list[str]:
        return sources_of(dataset)

    def get_how(self, dataset: Dataset) -> str:
        return str(dataset.lineage.get("how", ""))


class OneDatasetSerializer(DatasetSerializer):
    """A dataset with its facts."""

    features = serializers.DictField(help_text="what it holds, counted: hops, shapes, answers, paragraphs")
    report = serializers.DictField(help_text="of the import or the derivation: what was read, kept and left out")
    lineage = serializers.DictField(help_text="source, how, options, seed and version; empty for an imported file")
    root = serializers.CharField(source="root.slug", allow_null=True, help_text="the imported dataset it goes back to")
    batches = serializers.SerializerMethodField(help_text="batches made of it")
    descendants = serializers.SerializerMethodField(help_text="datasets whose root it is")

    def get_batches(self, dataset: Dataset) -> list[str]:
        return list(dataset.batches.order_by("created_at").values_list("slug", flat=True))

    def get_descendants(self, dataset: Dataset) -> list[str]:
        return list(dataset.descendants.order_by("created_at").values_list("slug", flat=True))


class ItemSerializer(serializers.Serializer):
    """An item with all its gold. `example` is its content, as the format `jsonl` has it."""

    position = serializers.IntegerField(help_text="its place in the dataset, from 0")
    id = serializers.CharField(source="source_id")
    question = serializers.CharField(allow_blank=True)
    hops = serializers.IntegerField(help_text="0: not known")
    shape = serializers.CharField(allow_blank=True)
    answerable = serializers.BooleanField(allow_null=True, help_text="null: its source does not say")
    version = serializers.IntegerField(help_text="1, and one more for each edit")
    retired_at = serializers.DateTimeField(allow_null=True, help_text="in no new batch and no export since")
    example = serializers.DictField(source="content")


class ItemFilters(serializers.Serializer):
    """Which items."""

    q = serializers.CharField(max_length=500, required=False, help_text="text in the question, or exactly an id")
    hops = serializers.IntegerField(min_value=0, max_value=100, required=False)
    shape = serializers.CharField(max_length=60, required=False)
    answerable = serializers.BooleanField(required=False)
    retired = serializers.BooleanField(required=False, help_text="only those that were retired, or only the others")


def narrowed(rows: Any, wish: JSON) -> Any:
    """The items that the filters leave."""
    rows = rows.holding(wish["q"]) if "q" in wish else rows
    rows = rows.filter(retired_at__isnull=not wish["retired"]) if "retired" in wish else rows
    return rows.filter(**{name: wish[name] for name in ("hops", "shape", "answerable") if name in wish})
