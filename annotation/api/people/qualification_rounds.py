"""Qualification rounds: a new one, changed while it is a draft, its results, and its qualification granted.

A round is a batch: it is launched, paused, closed and discarded as one.
"""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.batches.serializers import DraftInput
from annotation.api.examples import CLAUSE
from annotation.api.operations import action, operation
from annotation.api.pagination import SinglePage
from annotation.api.people.scores import StepInput, StepSerializer, stepped
from annotation.api.serializers import JSON, Input, KindField, schema_of, texts
from annotation.api.setting_fields import input_field
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.people import bulk_grants, qualification_rounds, round_attempts, round_results
from annotation.flow.people.qualification_rounds import ROUND_SETTINGS
from annotation.flow.people.round_results import Result
from annotation.models import Batch, Project, QualificationRound, User
from annotation.pure.people import roles
from annotation.pure.people.round_rules import COMPARATORS
from annotation.registry import kinds

GRANTS = "A qualification's id; or a name, of which one is created if it does not exist."
FIXED = {
    "assignments_per_hit",
    "purpose",
    "sample",
    "sample_by",
    "unseen_only",
    "marketplace",
    "checks",
}  # or named otherwise


class ClauseInput(Input):
    """A condition: a figure above, or at least, a value (0..1), over all items, of one dataset, or of `each`."""

    figure = serializers.CharField(max_length=100)
    value = serializers.FloatField(min_value=0, max_value=1)
    comparator = serializers.ChoiceField(choices=COMPARATORS, required=False, default=">=")
    dataset = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")


class RoundInput(DraftInput):
    """Settings of a round's draft. Fields left out stay unchanged; those of a new one get the task's defaults."""

    ALIASES = {"guide": "instructions", "judgment": "grading"}
    EXAMPLE = {"per_worker": 25, "attempts": 2}

    pool = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=10**9,
        help_text="How many items of each dataset are reserved for the round; null: all.",
    )
    rule = ClauseInput(  # type: ignore[call-arg]  # the length of the list that many=True makes of it
        many=True, required=False, max_length=20, help_text="Conditions to pass; all must hold."
    )
    closes_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="When the round closes; null: not by itself."
    )
    grants = serializers.CharField(max_length=200, required=False, help_text=GRANTS)

    def get_fields(self) -> dict[str, serializers.Field]:
        made = {one.name: input_field(one) for one in ROUND_SETTINGS.values() if one.type in (int, str)}
        return {name: field for name, field in (made | super().get_fields()).items() if name not in FIXED}


class NewRoundInput(RoundInput):
    """A new round."""

    EXAMPLE = {
        "title": "Readers",
        "task": "answer",
        "datasets": ["wells", "towers"],
        "per_worker": 20,
        "grants": "Reader",
        "rule": [CLAUSE],
        "attempts": 1,
        "seconds": 3600,
    }

    title = serializers.CharField(max_length=200)
    task = KindField(choices=kinds(), help_text="One of `listTasks`.")
    datasets = texts(100, allow_empty=False)
    per_worker = serializers.IntegerField(min_value=1, max_value=1000, help_text="Items per worker.")
    grants = serializers.CharField(max_length=200, help_text=GRANTS)


def saved(project: Project, data: JSON, *, user: User | None, draft: Batch | None = None) -> QualificationRound:
    """Save a round as a draft, new or changed. Raises InvalidSettings and Refused."""
    if "pool" in data:
        data["sample"] = data.pop("pool")
    settings, terms = qualification_rounds.parse_round(project, data, batch=draft)
    return qualification_rounds.store_round(project, settings, terms, batch=draft, user=user)


class RoundSerializer(serializers.Serializer):
    """A qualification round."""

    batch = serializers.CharField(source="batch.slug")
    title = serializers.CharField(source="batch.title")
    task = serializers.CharField(source="batch.task")
    state = serializers.ChoiceField(source="batch.state", choices=Batch.State.choices)
    per_worker = serializers.IntegerField(help_text="Items per worker.")
    pool = serializers.IntegerField(
        source="batch.sample",
        allow_null=True,
        help_text="How many items of each dataset are reserved for the round; null: all.",
    )
    attempts = serializers.IntegerField(help_text="Attempts per worker.")
    grading = serializers.ChoiceField(choices=QualificationRound.Grading.choices)
    rule = serializers.ListField(child=serializers.DictField(), help_text="Conditions to pass; all must hold.")
    seconds = serializers.IntegerField(allow_null=True, help_text="Seconds from the first item on; null: no limit.")
    closes_at = serializers.DateTimeField(allow_null=True)
    grants = serializers.CharField(source="grants.public_id", help_text="The qualification's id.")


class ChanceSerializer(serializers.Serializer):
    """A worker's chance of passing, by skill (0..1): at least `value`; `most` if figures rise and fall together."""

    skill = serializers.FloatField()
    value = serializers.FloatField()
    most = serializers.FloatField()


class OneRoundSerializer(RoundSerializer):
    """A round with the chances of passing."""

    chances = serializers.SerializerMethodField()
    items = serializers.SerializerMethodField()

    @schema_of(ChanceSerializer(many=True))
    def get_chances(self, round: QualificationRound) -> Any:
        """Chances of workers of skill 0.6 to 0.95 to pass, within their attempts."""
        return ChanceSerializer(qualification_rounds.chances(round), many=True).data

    def get_items(self, round: QualificationRound) -> dict[str, int]:
        """The number of items of each dataset in the pool."""
        return round_attempts.pool_of(round.batch)


class ResultSerializer(serializers.Serializer):
    """An attempt at a round."""

    worker = serializers.CharField(source="worker.pseudonym")
    attempt = serializers.IntegerField(source="attempt.number")
    finished = serializers.BooleanField()
    answered = serializers.IntegerField()
    score = serializers.FloatField(allow_null=True, help_text="0 to 1; null: not known yet.")
    passed = serializers.BooleanField(allow_null=True)
    figures = serializers.DictField(child=serializers.FloatField())
    items = serializers.SerializerMethodField()

    def get_items(self, result: Result) -> list[dict[str, Any]]:
        """Each item with its HIT, state and value (0..1)."""
        return [{"hit": cell.hit.public_id, "state": cell.state, "value": cell.value} for cell in result.cells]


class GrantRoundInput(Input):
    """Whom to grant the qualification: by the rule, or by a mark."""

    EXAMPLE = {"mark": 0.7}

    mark = serializers.FloatField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=1,
        help_text="Grant it to those with at least this score, 0 to 1; null: by the rule.",
    )


class RoundViewSet(ResourceViewSet):
    """The qualification rounds of a project."""

    serializer_class = OneRoundSerializer
    list_serializer_class = RoundSerializer
    ordering = "-pk"
    lookup_field, lookup_url_kwarg = "batch__slug", "batch"
    row: QualificationRound

    def get_queryset(self) -> Any:
        rows = QualificationRound.objects.filter(batch__project=self.project, batch__removed_at=None)
        return rows.select_related("batch__project", "grants")

    @operation()
    def list(self) -> None:
        """List the qualification rounds of a project, newest first."""

    @operation(takes=NewRoundInput, location="rounds/{0.batch.slug}/")
    def create(self, data: JSON) -> QualificationRound:
        """Create a round as a draft; launchBatch launches it."""
        return saved(self.project, data, user=self.request.user)

    @operation()
    def retrieve(self) -> None:
        """One round, with the chances of passing; other settings are those of its batch."""

    @operation(takes=RoundInput)
    def partial_update(self, data: JSON) -> QualificationRound:
        """Change a draft of a round. After the launch use changeBatch for the batch's terms."""
        return saved(self.project, data, user=self.request.user, draft=self.row.batch)

    @action(takes=GrantRoundInput, gives=StepSerializer, act=roles.PEOPLE)
    def grant(self, data: JSON) -> JSON:
        """Grant the round's qualification to workers who pass by the rule or by a mark.

        Their score is in whole percent. Nobody loses it by a round. undoRound with the returned `step` takes it back.
        """
        reason = _("Qualification round %(round)s") % {"round": self.row.batch.title}
        wanted = round_results.grants(self.row, data["mark"])
        return stepped(self.row.grants, wanted, source="round", reason=reason, user=self.request.user)

    @action(takes=StepInput, gives=StepSerializer, act=roles.PEOPLE)
    def undo(self, data: JSON) -> JSON:
        """Take the round's last grants back, if nothing else was granted or revoked since."""
        return {"changed": bulk_grants.undo(self.row.grants, through=data["step"], user=self.request.user), "step": 0}

    @action("get", many=True, pages=SinglePage, gives=ResultSerializer, id="listRoundResults")
    def results(self) -> Any:
        """Every attempt at a round, best score first, in one page."""
        return round_results.results(self.row)
