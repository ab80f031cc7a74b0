"""Serializers of datasets and items, and the base of resources of a dataset."""

from django.shortcuts import get_object_or_404
from rest_framework import serializers

from annotation.api.viewsets import ResourceViewSet
from annotation.flow.data.lineage import sources_of
from annotation.models import Dataset


class DatasetPartViewSet(ResourceViewSet):
    """A resource of a dataset; `dataset` is set before a method runs."""

    dataset: Dataset

    def find(self) -> None:
        rows = Dataset.objects.whole().select_related("root", "created_by")
        self.dataset = get_object_or_404(rows, project=self.project, slug=self.kwargs["name"])
        super().find()


class DatasetSerializer(serializers.Serializer):
    """A dataset."""

    name = serializers.SlugField(source="slug")
    size = serializers.IntegerField(help_text="Number of items.")
    format = serializers.CharField(help_text="The format of the imported file.")
    sha256 = serializers.CharField(help_text="SHA-256 of the imported file.")
    digest = serializers.CharField(help_text="SHA-256 of its current content, which edits of items change.")
    file_name = serializers.CharField()
    licence = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # a field of that name, as in Field itself
    ethics = serializers.CharField(help_text="Who approved the work with people; empty: not stated.")
    consent = serializers.CharField(help_text="How people consented; empty: not stated.")
    made_of = serializers.SerializerMethodField(help_text="Datasets that it was derived or created from.")
    how = serializers.SerializerMethodField(help_text="The derivation; empty for an imported file.")
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True, help_text="When it was archived; null: it is not.")

    def get_made_of(self, dataset: Dataset) -> list[str]:
        return sources_of(dataset)

    def get_how(self, dataset: Dataset) -> str:
        return str(dataset.lineage.get("how", ""))


class OneDatasetSerializer(DatasetSerializer):
    """A dataset with its figures."""

    features = serializers.DictField(help_text="Counts of hops, shapes, answers and paragraphs.")
    report = serializers.DictField(help_text="What the import or the derivation read, kept and left out.")
    lineage = serializers.DictField(help_text="Source, how, options, seed and version; empty for an imported file.")
    root = serializers.CharField(  # type: ignore[assignment]  # a field of that name
        source="root.slug", allow_null=True, help_text="The imported dataset that it goes back to."
    )
    batches = serializers.SerializerMethodField(help_text="Batches made of it.")
    descendants = serializers.SerializerMethodField(help_text="Datasets derived from it.")

    def get_batches(self, dataset: Dataset) -> list[str]:
        return list(dataset.batches.order_by("created_at").values_list("slug", flat=True))

    def get_descendants(self, dataset: Dataset) -> list[str]:
        return list(dataset.descendants.order_by("created_at").values_list("slug", flat=True))


class ItemSerializer(serializers.Serializer):
    """An item with its gold. `example` is its content in the format `jsonl`.

    While the account is still to adjudicate a HIT of it, its gold is hidden, unless it opened that, which is logged.
    """

    position = serializers.IntegerField()
    id = serializers.CharField(source="source_id")
    question = serializers.CharField(allow_blank=True)
    hops = serializers.IntegerField()
    shape = serializers.CharField(allow_blank=True)
    answerable = serializers.BooleanField(allow_null=True)
    version = serializers.IntegerField(help_text="1 as imported, and one more for each edit.")
    archived_at = serializers.DateTimeField(
        allow_null=True, help_text="When it was archived: since then in no new batch and no export."
    )
    example = serializers.DictField(source="content")
    gold_hidden = serializers.BooleanField(default=False, help_text="Whether its gold is left out until the decision.")
