"""Verdicts: what the answers to each HIT mean together, as a dataset gathered now would have them."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.batch_base import BatchList, BatchView
from annotation.api.lists import AnyType
from annotation.downloads import sent
from annotation.flow import concluding


class VerdictSerializer(serializers.Serializer):
    """What the answers to a HIT mean together."""

    hit = serializers.CharField()
    dataset = serializers.CharField()
    item = serializers.IntegerField(help_text="The item's place in its dataset, from 0.")
    item_id = serializers.CharField()
    kind = serializers.CharField(help_text="The verdict in a word; empty without answers.")
    settled = serializers.BooleanField(help_text="False: people leave it open, or nobody answered.")
    agreeing = serializers.IntegerField(help_text="How many answers say what the verdict says.")
    answers = serializers.IntegerField(help_text="Those that stand.")
    voided = serializers.BooleanField()
    verdict = serializers.DictField(allow_null=True, help_text="As the task type writes it.")


class Verdicts(BatchList):
    """The verdicts of a batch."""

    serializer_class = VerdictSerializer

    def rows(self) -> Any:
        return concluding.hits_with_items(self.batch)

    def told(self, rows: list[Any]) -> list[Any]:
        return concluding.conclude(self.batch, rows)

    @extend_schema(responses=VerdictSerializer(many=True))
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """What the answers to each HIT mean together, as they stand now."""
        return self.listed()


class VerdictsFile(BatchView):
    """All verdicts of a batch."""

    content_negotiation_class = AnyType

    @extend_schema(operation_id="exportVerdicts", responses={(200, "application/jsonl"): OpenApiTypes.STR})
    def get(self, request: Request, slug: str, batch: str) -> HttpResponseBase:
        """All verdicts of a batch as JSON lines."""
        blocks, name = concluding.stream_verdicts(self.batch), f"{self.batch.slug}-verdicts.jsonl"
        return sent(request, self.batch, blocks, name=name, kind="application/jsonl")
