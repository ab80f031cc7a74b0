"""HITs that people leave open, and what a reviewer makes of each."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.batch_base import BatchList, HitView
from annotation.api.lists import Whole, Wish, asked
from annotation.api.verdicts import VerdictSerializer
from annotation.api.writing import repeatable
from annotation.flow import adjudicating, concluding, flagging, overseeing, reviewing
from annotation.flow.refusal import Refused
from annotation.pure import roles
from annotation.registry import task_type


class OpenSerializer(serializers.Serializer):
    """A HIT that waits for somebody to settle it."""

    hit = serializers.CharField(source="public_id")
    kind = serializers.CharField(help_text="How its verdict stands: tied, several, split, …")
    answers = serializers.IntegerField()


class PickWish(Wish):
    """The answer that is to stand, as it is or in your own wording."""

    assignment = serializers.CharField(max_length=32)
    revision = serializers.IntegerField(min_value=1, max_value=2**31 - 1, help_text="That was read.")
    text = serializers.CharField(
        max_length=5000, required=False, trim_whitespace=False, help_text="Your wording, where the task takes one."
    )


class _Launched:
    act = reads = roles.REVIEW

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)  # type: ignore[misc]
        if self.batch.launched_at is None:  # type: ignore[attr-defined]
            raise Http404


class Adjudications(_Launched, BatchList):
    """What is left to adjudicate."""

    serializer_class = OpenSerializer
    pagination_class = Whole

    @extend_schema(responses=OpenSerializer(many=True))
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """The HITs that people leave open, in the order of their items; all of them in one page."""
        return self.whole(adjudicating.queue(self.batch))


class _HitView(_Launched, HitView):
    """One HIT with its verdict."""

    serializer_class = VerdictSerializer

    def shown(self) -> Response:
        self.hit.refresh_from_db(fields=["voided_at", "void_reason"])
        return Response(VerdictSerializer(concluding.conclude(self.batch, [self.hit])[0]).data)


class OneAdjudication(_HitView):
    """Settling a HIT."""

    @extend_schema(responses=VerdictSerializer)
    def get(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """The verdict of a HIT as it stands."""
        return self.shown()

    @extend_schema(operation_id="adjudicateHit", request=PickWish, responses=VerdictSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """Pick the answer that makes the verdict, or write it anew; a voided HIT counts again.

        To leave a HIT out instead, void it.
        """
        wish = asked(PickWish, request.data)
        if "text" in wish and not task_type(self.batch.task).writes:
            raise ValidationError({"text": [_("In this task an answer can only be picked.")]})
        chosen = self.hit.assignments.submitted().filter(public_id=wish["assignment"]).first()
        if chosen is None:
            raise ValidationError({"assignment": [_("This HIT has no such answer.")]})
        with transaction.atomic():
            reviewing.choose(chosen, wish["revision"], reviewer=request.user, text=wish.get("text"))
            flagging.restore(self.hit)
            overseeing.decided(self.batch, "to_adjudicate")
        return self.shown()


class Undo(_HitView):
    """Taking it back."""

    @extend_schema(request=None, responses=VerdictSerializer)
    @repeatable
    def post(self, request: Request, slug: str, batch: str, public_id: str) -> Response:
        """Take back what was decided on a HIT."""
        if not adjudicating.undo(self.hit, reviewer=request.user):
            raise Refused(_("There is nothing to undo on this HIT."))
        overseeing.decided(self.batch, "to_adjudicate", by=-1)
        return self.shown()
