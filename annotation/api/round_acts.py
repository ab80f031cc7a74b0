"""One qualification round: looked at, changed while it is a draft, and its qualification granted.

A round is a batch: it is launched, paused, closed and discarded as one.
"""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.lists import Wish, asked
from annotation.api.round_wishes import RoundWish, saved
from annotation.api.rounds import OneRoundSerializer
from annotation.api.scores import StepSerializer, StepWish, stepped
from annotation.api.writing import repeatable
from annotation.flow import granting, round_results
from annotation.models import Round
from annotation.pure import roles


class GrantRoundWish(Wish):
    """Who is chosen: by the rule, or by their score against a mark."""

    mark = serializers.FloatField(
        required=False, allow_null=True, default=None, min_value=0, max_value=1, help_text="0..1; null: by the rule."
    )


class RoundView(ProjectView):
    """One round: `round` stands before a method runs."""

    serializer_class = OneRoundSerializer
    round: Round

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)
        rows = Round.objects.select_related("batch__project", "grants").filter(batch__removed_at=None)
        self.round = get_object_or_404(rows, batch__project=self.project, batch__slug=kwargs["batch"])


class OneRound(RoundView):
    """One round."""

    @extend_schema(responses=OneRoundSerializer)
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """One round, with the chance that somebody of a skill passes; its other settings are its batch's."""
        return Response(OneRoundSerializer(self.round).data)

    @extend_schema(request=RoundWish, responses=OneRoundSerializer)
    @repeatable
    def patch(self, request: Request, slug: str, batch: str) -> Response:
        """Change a round that is a draft. After the launch its batch's terms may change, by changeBatch."""
        wish, row = asked(RoundWish, request.data, partial=True), self.round
        return Response(
            OneRoundSerializer(saved(self.project, wish, user=request.user, draft=row.batch, round=row)).data
        )


class Grant(RoundView):
    """Granting the qualification."""

    serializer_class = StepSerializer
    act = roles.PEOPLE

    @extend_schema(operation_id="grantRound", request=GrantRoundWish, responses=StepSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Grant the round's qualification to those whom the rule or a mark chooses; their scores are whole percents.

        Nobody loses it by a round. The `step` takes it back (undoRound).
        """
        mark = asked(GrantRoundWish, request.data)["mark"]
        reason = _("Round %(round)s") % {"round": self.round.batch.title}
        wanted = round_results.grants(self.round, mark)
        return Response(stepped(self.round.grants, wanted, source="round", reason=reason, user=request.user))


class Undo(RoundView):
    """Taking grants back."""

    serializer_class = StepSerializer
    act = roles.PEOPLE

    @extend_schema(operation_id="undoRound", request=StepWish, responses=StepSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Take the round's last grants back, as long as nothing else was granted or revoked since."""
        step = asked(StepWish, request.data)["step"]
        done = granting.undo(self.round.grants, through=step, user=request.user)
        return Response({"changed": done, "step": 0})
