"""Qualification rounds: what there are, a new one, and what came out of one."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.lists import Newest, ProjectList, Whole, asked
from annotation.api.round_wishes import NewRoundWish, saved
from annotation.api.writing import repeatable
from annotation.flow import pools, round_results, rounds
from annotation.flow.round_results import Result
from annotation.models import Batch, Round


class RoundSerializer(serializers.Serializer):
    """A round over a batch."""

    batch = serializers.CharField(source="batch.slug")
    title = serializers.CharField(source="batch.title")
    task = serializers.CharField(source="batch.task")
    state = serializers.ChoiceField(source="batch.state", choices=Batch.State.choices)
    per_worker = serializers.IntegerField(help_text="Items for each worker.")
    pool = serializers.IntegerField(
        source="batch.sample", allow_null=True, help_text="So many items of each dataset are drawn from; null: all."
    )
    attempts = serializers.IntegerField(help_text="How often one may try.")
    judgment = serializers.ChoiceField(choices=Round.Judgment.choices)
    rule = serializers.ListField(child=serializers.DictField(), help_text="All of it must hold to pass.")
    seconds = serializers.IntegerField(allow_null=True, help_text="From the first item on; null: no limit.")
    closes_at = serializers.DateTimeField(allow_null=True)
    grants = serializers.CharField(source="grants.public_id", help_text="The qualification, by its id.")


class ChanceSerializer(serializers.Serializer):
    """How likely somebody of a skill passes (0..1): `value` at least, `most` if the rule's figures go together."""

    skill = serializers.FloatField()
    value = serializers.FloatField()
    most = serializers.FloatField()


class OneRoundSerializer(RoundSerializer):
    """The same with what can be foretold."""

    chances = serializers.SerializerMethodField()
    items = serializers.SerializerMethodField()

    @extend_schema_field(ChanceSerializer(many=True))
    def get_chances(self, round: Round) -> Any:
        """How likely workers of skill .6 to .95 pass, in the attempts that they have."""
        return ChanceSerializer(rounds.chances(round), many=True).data

    def get_items(self, round: Round) -> dict[str, int]:
        """How many items of each dataset the round draws from and holds."""
        return pools.pool_of(round.batch)


class ResultSerializer(serializers.Serializer):
    """One worker's way through a round."""

    worker = serializers.CharField(source="worker.pseudonym", help_text="The worker's pseudonym.")
    attempt = serializers.IntegerField(source="attempt.number")
    finished = serializers.BooleanField()
    answered = serializers.IntegerField()
    score = serializers.FloatField(allow_null=True, help_text="0..1; null: not known yet.")
    passed = serializers.BooleanField(allow_null=True)
    figures = serializers.DictField(child=serializers.FloatField())
    items = serializers.SerializerMethodField()

    def get_items(self, result: Result) -> list[dict[str, Any]]:
        """Each item with its HIT, state and value (0..1)."""
        return [{"hit": cell.hit.public_id, "state": cell.state, "value": cell.value} for cell in result.cells]


class Rounds(ProjectList):
    """The rounds of a project."""

    serializer_class = RoundSerializer
    pagination_class = Newest

    def rows(self) -> Any:
        rows = Round.objects.filter(batch__project=self.project, batch__removed_at=None)
        return rows.select_related("batch", "grants")

    @extend_schema(responses=RoundSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The qualification rounds of a project, newest first."""
        return self.listed()

    @extend_schema(request=NewRoundWish, responses={201: OneRoundSerializer})
    @repeatable
    def post(self, request: Request, slug: str) -> Response:
        """Write a round as a draft, which launchBatch opens; nobody sees it before."""
        made = saved(self.project, asked(NewRoundWish, request.data), user=request.user)
        where = f"/api/v1/projects/{slug}/rounds/{made.batch.slug}/"
        return Response(OneRoundSerializer(made).data, status=201, headers={"Location": where})


class Results(ProjectList):
    """What came out of a round."""

    serializer_class = ResultSerializer
    pagination_class = Whole

    @extend_schema(operation_id="listRoundResults", responses=ResultSerializer(many=True))
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """Every attempt at a round, the best score first; all of them in one page."""
        rows = Round.objects.select_related("batch__project", "grants")
        found = get_object_or_404(rows, batch__project=self.project, batch__slug=batch, batch__removed_at=None)
        return self.whole(round_results.results(found))
