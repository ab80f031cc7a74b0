"""Granting a qualification by a rule over batches, and taking a step of grants back."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.lists import JSON, Wish, asked
from annotation.api.qualifications import TypeView
from annotation.api.scores import StepSerializer, StepWish, stepped
from annotation.api.writing import repeatable
from annotation.flow import granting
from annotation.models import Project
from annotation.pure.requirements import LARGEST, SMALLEST
from annotation.qualification_forms import RuleForm


class RuleWish(Wish):
    """Who reached what in which batches gets which score."""

    batches = serializers.ListField(
        child=serializers.CharField(max_length=100), allow_empty=False, max_length=100, help_text="Launched ones."
    )
    figure = serializers.ChoiceField(choices=list(granting.FIGURES.items()))
    least = serializers.IntegerField(min_value=0, max_value=10**9)
    answers = serializers.IntegerField(default=1, min_value=1, max_value=10**9, help_text="At least so many of theirs.")
    value = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=SMALLEST, max_value=LARGEST,
        help_text="The score; null: the figure itself.",
    )  # fmt: skip
    dry_run = serializers.BooleanField(default=False, help_text="Only tell what it would change.")


class ChangeSerializer(serializers.Serializer):
    """What changes for one worker; `before` is null where they hold nothing."""

    worker = serializers.CharField(source="worker.pseudonym")
    before = serializers.IntegerField(allow_null=True)
    value = serializers.IntegerField()


class PlanSerializer(StepSerializer):
    """The same with what it changes, or would."""

    changes = ChangeSerializer(many=True)


class ByRule(TypeView):
    """Granting by rule."""

    serializer_class = PlanSerializer

    @extend_schema(operation_id="grantByRule", request=RuleWish, responses=PlanSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Grant scores to whoever reached a figure in some batches; who holds that very score is left out.

        With `dry_run` nothing is granted, and `changed` is 0.
        """
        wish = asked(RuleWish, request.data)
        form = _form(self.project, wish)
        with transaction.atomic():
            wanted = form.found()
            changes = granting.plan(self.type, wanted)
            told = ChangeSerializer(changes, many=True).data
            if wish["dry_run"]:
                return Response({"changed": 0, "step": 0, "changes": told})
            terms: JSON = {"source": "rule", "reason": form.words(), "user": request.user}
            return Response({**stepped(self.type, wanted, **terms), "changes": told})


class Undo(TypeView):
    """Taking a step back."""

    serializer_class = StepSerializer

    @extend_schema(operation_id="undoGrants", request=StepWish, responses=StepSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Take the last step of grants back, while nothing else was granted or revoked since."""
        step = asked(StepWish, request.data)["step"]
        return Response({"changed": granting.undo(self.type, through=step, user=request.user), "step": 0})


def _form(project: Project, wish: JSON) -> RuleForm:
    """The page's form with the wish; valid. Raises ValidationError."""
    rows = {
        batch.slug: batch.pk for batch in project.batches.filter(slug__in=wish["batches"], launched_at__isnull=False)
    }
    unknown = {f"batches.{k}": name for k, name in enumerate(wish["batches"]) if name not in rows}
    if unknown:
        text = _("There is no launched batch %(name)s.")
        raise ValidationError({at: [text % {"name": name}] for at, name in unknown.items()})
    posted: dict[str, Any] = {name: wish[name] for name in ("figure", "least", "answers", "value")}
    form = RuleForm(project, posted | {"batches": sorted(rows.values())})
    if not form.is_valid():
        raise ValidationError({name: list(told) for name, told in form.errors.items()})
    return form
