"""Aggregated responses of a batch, as a dataset created from the results now would contain them."""

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import action, operation
from annotation.flow.review import aggregation
from annotation.operations.downloads import sent


class AggregateSerializer(serializers.Serializer):
    """An aggregated response."""

    hit = serializers.CharField()
    dataset = serializers.CharField()
    item = serializers.IntegerField(help_text="The item's position in its dataset, from 0.")
    item_id = serializers.CharField()
    kind = serializers.CharField(help_text="The kind of result in a word; empty without responses.")
    settled = serializers.BooleanField(help_text="False: no majority, or no responses.")
    agreeing = serializers.IntegerField(help_text="How many responses agree with it.")
    answers = serializers.IntegerField(help_text="Number of responses that count.")
    excluded = serializers.BooleanField()
    aggregate = serializers.DictField(allow_null=True, help_text="As the task represents it.")


class BatchAggregateViewSet(BatchPartViewSet):
    """Aggregated responses of a batch."""

    serializer_class = AggregateSerializer

    def prepare(self, rows: list[Any]) -> list[Any]:
        return aggregation.conclude(self.batch, rows)

    @operation()
    def list(self) -> Any:
        """List the aggregated response of each HIT, as of now."""
        return aggregation.hits_with_items(self.batch)

    @action("get", "export/jsonl", detail=False, files={"application/jsonl": OpenApiTypes.STR}, id="exportAggregates")
    def export(self) -> HttpResponseBase:
        """All aggregated responses of a batch as JSON lines."""
        blocks, name = aggregation.stream_aggregates(self.batch), f"{self.batch.slug}-aggregates.jsonl"
        return sent(self.request, self.batch, blocks, name=name, kind="application/jsonl")
