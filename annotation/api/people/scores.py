"""Scores of a qualification: grant and revoke them, and decide on requests."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.examples import OTHER, WORKER
from annotation.api.operations import action, operation
from annotation.api.people.qualifications import QualificationPartViewSet
from annotation.api.serializers import JSON, Input, refuse_unknown, texts
from annotation.flow.people import bulk_grants, worker_names
from annotation.forms.qualifications import RuleForm
from annotation.models import Project, QualificationType, Worker
from annotation.pure.mturk.mturk_xml import read_answers
from annotation.pure.people.requirements import LARGEST, SMALLEST

MOST_SCORES = 10_000


def score(**more: Any) -> serializers.IntegerField:
    """The score of a qualification."""
    return serializers.IntegerField(min_value=SMALLEST, max_value=LARGEST, **more)


class ScoreInput(Input):
    """A score for one worker."""

    worker = serializers.CharField(max_length=64, help_text="Pseudonym or worker id.")
    value = score()


class GrantInput(Input):
    """Scores to grant. All or nothing."""

    EXAMPLE = {"scores": [{"worker": WORKER, "value": 90}, {"worker": OTHER, "value": 75}]}

    scores = ScoreInput(many=True, allow_empty=False, max_length=MOST_SCORES)  # type: ignore[call-arg]  # of the list
    reason = serializers.CharField(max_length=1000, required=False, allow_blank=True, default="")


class RevokeInput(Input):
    """Workers to revoke it from."""

    EXAMPLE = {"workers": [WORKER], "reason": "They asked for it."}

    workers = texts(64, allow_empty=False, max_length=MOST_SCORES, help_text="Pseudonyms or worker ids.")
    reason = serializers.CharField(max_length=1000, required=False, allow_blank=True, default="")


class AcceptInput(Input):
    """Requests to grant."""

    EXAMPLE = {"requests": ["7Hq2mZ0T8yJd1mWb6cR2gA"], "value": 80}

    requests = texts(64, allow_empty=False, max_length=1000)
    value = score(allow_null=True, default=None, help_text="The score; null: the test's score, or 1.")


class DeclineInput(Input):
    """Requests to reject; workers read the reason."""

    EXAMPLE = {"requests": ["7Hq2mZ0T8yJd1mWb6cR2gA"], "reason": "Not yet."}

    requests = texts(64, allow_empty=False, max_length=1000)
    reason = serializers.CharField(max_length=1000, required=False, allow_blank=True, default="")


class ChangedSerializer(serializers.Serializer):
    """How many scores changed."""

    changed = serializers.IntegerField()


class StepInput(Input):
    """The step of grants to take back."""

    EXAMPLE = {"step": 42}

    step = serializers.IntegerField(min_value=1, max_value=2**62)


class StepSerializer(serializers.Serializer):
    """How many scores changed. `step` takes it back if nothing else changed since; 0: nothing to take back."""

    changed = serializers.IntegerField()
    step = serializers.IntegerField()


class ScoreSerializer(serializers.Serializer):
    """A score that a worker holds."""

    worker = serializers.CharField(source="worker.pseudonym")
    value = serializers.IntegerField()
    granted_at = serializers.DateTimeField()


class RequestSerializer(serializers.Serializer):
    """A request for the qualification."""

    id = serializers.CharField(source="public_id")
    worker = serializers.CharField(source="worker.pseudonym")
    value = serializers.IntegerField(allow_null=True, help_text="The score by the test's answer key.")
    answers = serializers.SerializerMethodField()
    submitted_at = serializers.DateTimeField(allow_null=True)

    def get_answers(self, request: Any) -> list[JSON]:
        """The answers to the test."""
        answers = read_answers(request.answer) if request.answer else []
        return [{"question": question, "answer": answer} for question, answer in answers]


class RuleInput(Input):
    """A rule: which workers of which batches get which score."""

    EXAMPLE = {"batches": ["first-study"], "figure": "grade", "least": 75, "answers": 10, "dry_run": True}

    batches = texts(100, allow_empty=False, max_length=100, help_text="Names of launched batches.")
    figure = serializers.ChoiceField(choices=list(bulk_grants.FIGURES.items()))
    least = serializers.IntegerField(min_value=0, max_value=10**9)
    answers = serializers.IntegerField(
        default=1, min_value=1, max_value=10**9, help_text="Minimum number of a worker's responses."
    )
    value = score(allow_null=True, default=None, help_text="The score; null: the value of the figure.")
    dry_run = serializers.BooleanField(default=False, help_text="Only compute what would change.")


class ChangeSerializer(serializers.Serializer):
    """What changes for one worker; `before` is null if they hold no score."""

    worker = serializers.CharField(source="worker.pseudonym")
    before = serializers.IntegerField(allow_null=True)
    value = serializers.IntegerField()


class PlanSerializer(StepSerializer):
    """The result of a rule with its changes."""

    changes = ChangeSerializer(many=True)


def _workers(view: Any, names: Sequence[str], field: str) -> list[Worker]:
    workers = worker_names.workers_named(view.project, names)
    refuse_unknown(field, names, workers, _("%(name)s is not a worker of this project."))
    return [workers[name] for name in names]


@transaction.atomic
def stepped(type: QualificationType, wanted: Mapping[Worker, int], **terms: Any) -> JSON:
    """Grant scores as one step (StepSerializer), under the type's lock, so that no other grant joins the step."""
    changed = bulk_grants.grant_all(type, wanted, **terms)
    return {"changed": changed, "step": bulk_grants.undoable(type) if changed else 0}


class QualificationScoreViewSet(QualificationPartViewSet):
    """Scores of a qualification."""

    serializer_class = ScoreSerializer

    @operation()
    def list(self) -> Any:
        """List the workers who hold a qualification, with their scores."""
        return bulk_grants.holders(self.type)

    @operation(takes=GrantInput, gives=StepSerializer, status=200, id="grantQualification")
    def create(self, data: JSON) -> JSON:
        """Grant scores to one or more workers, replacing those they hold. All or nothing."""
        people = _workers(self, [row["worker"] for row in data["scores"]], "scores")
        if len({worker.pk for worker in people}) < len(people):
            raise ValidationError({"scores": [_("A worker appears twice.")]})
        scores = {worker: row["value"] for worker, row in zip(people, data["scores"], strict=True)}
        return stepped(self.type, scores, source="hand", reason=data["reason"], user=self.request.user)

    @action(detail=False, takes=RevokeInput, gives=ChangedSerializer, id="revokeQualification")
    def revoke(self, data: JSON) -> JSON:
        """Revoke a qualification from workers."""
        people = _workers(self, data["workers"], "workers")
        done = bulk_grants.revoke_all(self.type, people, reason=data["reason"], user=self.request.user)
        return {"changed": done}

    @action(detail=False, takes=RuleInput, gives=PlanSerializer, id="grantByRule")
    def rule(self, data: JSON) -> JSON:
        """Grant scores to workers who reached a figure in some batches, unless they hold that very score.

        With `dry_run` nothing is granted, and `changed` is 0.
        """
        form = _form(self.project, data)
        with transaction.atomic():
            wanted = form.scored_workers()
            changes = bulk_grants.plan(self.type, wanted)
            if data["dry_run"]:
                return {"changed": 0, "step": 0, "changes": changes}
            terms: JSON = {"source": "rule", "reason": form.words(), "user": self.request.user}
            return {**stepped(self.type, wanted, **terms), "changes": changes}

    @action(detail=False, takes=StepInput, gives=StepSerializer, id="undoGrants")
    def undo(self, data: JSON) -> JSON:
        """Take back the last step of grants, if nothing else was granted or revoked since."""
        return {"changed": bulk_grants.undo(self.type, through=data["step"], user=self.request.user), "step": 0}


class QualificationRequestViewSet(QualificationPartViewSet):
    """Requests for a qualification."""

    serializer_class = RequestSerializer

    @operation()
    def list(self) -> Any:
        """List open requests for a qualification."""
        return bulk_grants.waiting(self.type)

    @action(detail=False, takes=AcceptInput, gives=ChangedSerializer)
    def accept(self, data: JSON) -> JSON:
        """Grant requests for a qualification; those decided meanwhile are skipped."""
        return self._decide(data, grants=True, value=data["value"], reason="")

    @action(detail=False, takes=DeclineInput, gives=ChangedSerializer)
    def decline(self, data: JSON) -> JSON:
        """Reject requests for a qualification."""
        return self._decide(data, grants=False, value=None, reason=data["reason"])

    def _decide(self, data: JSON, **terms: Any) -> JSON:
        rows = bulk_grants.waiting(self.type).filter(public_id__in=data["requests"])
        return {"changed": bulk_grants.decide(rows, **terms, user=self.request.user)}


def _form(project: Project, data: JSON) -> RuleForm:
    """The page's form with the request's data, validated. Raises ValidationError."""
    launched = project.batches.filter(slug__in=data["batches"], launched_at__isnull=False)
    rows = dict(launched.values_list("slug", "pk"))
    refuse_unknown("batches", data["batches"], rows, _("There is no launched batch named %(name)s."))
    posted: dict[str, Any] = {name: data[name] for name in ("figure", "least", "answers", "value")}
    form = RuleForm(project, posted | {"batches": sorted(rows.values())})
    if not form.is_valid():
        raise ValidationError({name: list(map(str, texts)) for name, texts in form.errors.items()})
    return form
