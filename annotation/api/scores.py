"""Who holds a qualification with what score: granting, revoking, and deciding on those who ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.lists import JSON, ProjectList, Wish, asked
from annotation.api.qualifications import TypeView
from annotation.api.writing import repeatable
from annotation.flow import granting, naming
from annotation.models import QualificationType, Worker
from annotation.pure.requirements import LARGEST, SMALLEST
from annotation.pure.wire_xml import read_answers

MOST = 10_000


class ScoreWish(Wish):
    """A score for one worker."""

    worker = serializers.CharField(max_length=64, help_text="Pseudonym or worker id.")
    value = serializers.IntegerField(min_value=SMALLEST, max_value=LARGEST)


class GrantWish(Wish):
    """Scores to grant, all or none."""

    scores = ScoreWish(many=True, allow_empty=False, max_length=MOST)
    reason = serializers.CharField(max_length=1000, required=False, allow_blank=True, default="")


class RevokeWish(Wish):
    """Whom to take it from."""

    workers = serializers.ListField(
        child=serializers.CharField(max_length=64), allow_empty=False, max_length=MOST, help_text="Pseudonyms or ids."
    )
    reason = serializers.CharField(max_length=1000, required=False, allow_blank=True, default="")


class AcceptWish(Wish):
    """Which requests to grant."""

    requests = serializers.ListField(child=serializers.CharField(max_length=64), allow_empty=False, max_length=1000)
    value = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=SMALLEST, max_value=LARGEST,
        help_text="The score; null: what the test gave, or 1.",
    )  # fmt: skip


class DeclineWish(Wish):
    """Which requests to refuse; those who asked read the reason."""

    requests = serializers.ListField(child=serializers.CharField(max_length=64), allow_empty=False, max_length=1000)
    reason = serializers.CharField(max_length=1000, required=False, allow_blank=True, default="")


class ChangedSerializer(serializers.Serializer):
    """How many it changed something for."""

    changed = serializers.IntegerField()


class StepWish(Wish):
    """Which grants to take back: those of this step."""

    step = serializers.IntegerField(min_value=1, max_value=2**62)


class StepSerializer(serializers.Serializer):
    """How many it changed something for; `step` takes it back while nothing else is granted or revoked, 0: nothing."""

    changed = serializers.IntegerField()
    step = serializers.IntegerField()


class ScoreSerializer(serializers.Serializer):
    """Who holds it."""

    worker = serializers.CharField(source="worker.pseudonym", help_text="The worker's pseudonym.")
    value = serializers.IntegerField()
    granted_at = serializers.DateTimeField()


class RequestSerializer(serializers.Serializer):
    """Somebody asks for it."""

    id = serializers.CharField(source="public_id")
    worker = serializers.CharField(source="worker.pseudonym", help_text="The worker's pseudonym.")
    value = serializers.IntegerField(allow_null=True, help_text="What the test's answer key gives.")
    answers = serializers.SerializerMethodField()
    submitted_at = serializers.DateTimeField(allow_null=True)

    def get_answers(self, asked: Any) -> list[JSON]:
        """What was said in the test."""
        said = read_answers(asked.answer) if asked.answer else []
        return [{"question": question, "answer": answer} for question, answer in said]


def _workers(view: Any, names: Sequence[str], field: str) -> list[Worker]:
    found = naming.workers_named(view.project, names)
    wrong = {f"{field}.{k}": name for k, name in enumerate(names) if name not in found}
    if wrong:
        text = _("%(name)s is no worker of this project.")
        raise ValidationError({at: [text % {"name": name}] for at, name in wrong.items()})
    return [found[name] for name in names]


@transaction.atomic
def stepped(type: QualificationType, wanted: Mapping[Worker, int], **terms: Any) -> JSON:
    """Grant it as one step, as StepSerializer tells it; under the type's lock, so that the step is this one."""
    changed = granting.grant_all(type, wanted, **terms)
    return {"changed": changed, "step": granting.undoable(type) if changed else 0}


class Scores(TypeView, ProjectList):
    """Who holds a qualification."""

    serializer_class = ScoreSerializer

    def rows(self) -> Any:
        return granting.holders(self.type)

    @extend_schema(responses=ScoreSerializer(many=True))
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Who holds a qualification, with what score."""
        return self.listed()

    @extend_schema(operation_id="grantQualification", request=GrantWish, responses=StepSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Grant scores to one or many, all or none; who holds another score gets the new one."""
        wish = asked(GrantWish, request.data)
        people = _workers(self, [row["worker"] for row in wish["scores"]], "scores")
        if len({worker.pk for worker in people}) < len(people):
            raise ValidationError({"scores": [_("A worker stands in it twice.")]})
        scores = {worker: row["value"] for worker, row in zip(people, wish["scores"], strict=True)}
        return Response(stepped(self.type, scores, source="hand", reason=wish["reason"], user=request.user))


class Revoke(TypeView):
    """Taking a qualification away."""

    @extend_schema(operation_id="revokeQualification", request=RevokeWish, responses=ChangedSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Take a qualification from some who hold it."""
        wish = asked(RevokeWish, request.data)
        people = _workers(self, wish["workers"], "workers")
        return Response({"changed": granting.revoke_all(self.type, people, reason=wish["reason"], user=request.user)})


class Requests(TypeView, ProjectList):
    """Who asks for a qualification."""

    serializer_class = RequestSerializer

    def rows(self) -> Any:
        return granting.waiting(self.type)

    @extend_schema(responses=RequestSerializer(many=True))
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Requests for a qualification that wait for a decision."""
        return self.listed()


class Accept(TypeView):
    """Granting what was asked for."""

    @extend_schema(operation_id="acceptQualificationRequests", request=AcceptWish, responses=ChangedSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Grant a qualification to some who ask for it; those decided meanwhile are left alone."""
        wish = asked(AcceptWish, request.data)
        rows = granting.waiting(self.type).filter(public_id__in=wish["requests"])
        done = granting.decide(rows, grants=True, value=wish["value"], reason="", user=request.user)
        return Response({"changed": done})


class Decline(TypeView):
    """Refusing what was asked for."""

    @extend_schema(operation_id="declineQualificationRequests", request=DeclineWish, responses=ChangedSerializer)
    @repeatable
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Refuse a qualification to some who ask for it."""
        wish = asked(DeclineWish, request.data)
        rows = granting.waiting(self.type).filter(public_id__in=wish["requests"])
        done = granting.decide(rows, grants=False, value=None, reason=wish["reason"], user=request.user)
        return Response({"changed": done})
