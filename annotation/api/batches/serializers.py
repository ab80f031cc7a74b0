"""Serializers of batches and of their settings in a request, and the base of resources of a batch."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers

from annotation import recruitment
from annotation.api.examples import QUALIFICATION
from annotation.api.serializers import JSON, Input, KindField, dollars, texts
from annotation.api.setting_fields import description, input_field, output_field
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.batches.settings import DAY, PLAIN, SETTINGS, STORED_AS_COLUMNS, HiddenGold, gold_of
from annotation.models import Batch
from annotation.pure.setting_fields import ALWAYS, settings_of
from annotation.registry import kinds


class BatchPartViewSet(ResourceViewSet):
    """A resource of a batch; `batch` is set before a method runs."""

    batch: Batch

    def find(self) -> None:
        rows = recruitment.marketplaces().joined(self.project.batches.all())
        self.batch = get_object_or_404(rows, slug=self.kwargs["batch"])
        super().find()


class CountsSerializer(serializers.Serializer):
    """Progress of a batch. `places`: assignments that its HITs ask for; `done`: those that count towards them."""

    hits = serializers.IntegerField()
    excluded = serializers.IntegerField()
    places = serializers.IntegerField()
    done = serializers.IntegerField()
    submitted = serializers.IntegerField()
    in_work = serializers.IntegerField()
    late = serializers.IntegerField()
    surplus = serializers.IntegerField()
    returned = serializers.IntegerField()
    problem_reports = serializers.IntegerField(help_text="Problem reports that nobody decided on.")


class RequirementSerializer(Input):
    """A requirement on a qualification, as in the MTurk API; `type` is the qualification's id."""

    type = serializers.CharField(max_length=64)
    comparator = serializers.CharField(max_length=30)
    values = serializers.ListField(child=serializers.IntegerField(), required=False)
    locales = serializers.ListField(child=serializers.JSONField(), required=False)
    guard = serializers.CharField(max_length=30, required=False)


class ChecksSerializer(Input):
    """Hidden gold in percent of a worker's items, and the rule for warnings and pauses."""

    datasets = texts(100, required=False)

    def get_fields(self) -> dict[str, serializers.Field]:
        rule = [one for one in settings_of(HiddenGold).values() if one.name != "datasets"]
        return super().get_fields() | {one.name: input_field(one) for one in rule}


class PaySerializer(serializers.Serializer):
    """The money of a batch in dollars: set aside, paid to workers, fees."""

    held = dollars()
    paid = dollars()
    taken = dollars(help_text="Fees, in US dollars.")


class InstructionsSerializer(serializers.Serializer):
    """A version of the instructions, in Markdown."""

    version = serializers.IntegerField()
    text = serializers.CharField()
    created_at = serializers.DateTimeField(allow_null=True)


class BatchSerializer(serializers.Serializer):
    """A batch with its settings and progress."""

    name = serializers.SlugField(source="slug")
    task = serializers.CharField()
    state = serializers.ChoiceField(choices=Batch.State.choices)
    datasets = serializers.SerializerMethodField()
    options = serializers.DictField()
    expected_minutes = serializers.SerializerMethodField()
    people = serializers.SerializerMethodField()
    requirements = RequirementSerializer(many=True)
    paid = serializers.SerializerMethodField()
    reward = dollars()
    auto_approve_days = serializers.SerializerMethodField()
    marketplace = serializers.SerializerMethodField()
    checks = serializers.SerializerMethodField()
    size = serializers.IntegerField(help_text="Number of HITs, once launched.")
    counts = CountsSerializer()
    created_at = serializers.DateTimeField()
    launched_at = serializers.DateTimeField(allow_null=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        """The declared fields, and one for each setting that is a column of its own, in the order of the settings."""
        fields = {name: output_field(SETTINGS[name]) for name in STORED_AS_COLUMNS} | super().get_fields()
        first = [name for name in SETTINGS if name in fields]
        return {name: fields[name] for name in [*first, *(name for name in fields if name not in SETTINGS)]}

    def get_datasets(self, batch: Batch) -> list[str]:
        return sorted(dataset.slug for dataset in batch.datasets.all())

    def get_expected_minutes(self, batch: Batch) -> float:
        return round(batch.expected_seconds / 60, 2)

    def get_people(self, batch: Batch) -> list[str]:
        """Pseudonyms of those who may work on it; empty: everybody."""
        return sorted(batch.project.pseudonym(worker.pk) for worker in batch.workers.all())

    def get_paid(self, batch: Batch) -> bool:
        return batch.auto_approval is not None

    def get_auto_approve_days(self, batch: Batch) -> int | None:
        return None if batch.auto_approval is None else round(batch.auto_approval / DAY)

    def get_marketplace(self, batch: Batch) -> str:
        return recruitment.name_of(batch)

    def get_checks(self, batch: Batch) -> JSON:
        """The settings of its hidden gold."""
        gold = gold_of(batch)
        return vars(gold) | {"datasets": sorted(dataset.slug for dataset in gold.datasets)}


class OneBatchSerializer(BatchSerializer):
    """A batch with its money and its instructions."""

    pay = PaySerializer()
    instructions = InstructionsSerializer()


class TermsInput(Input):
    """Settings that may change after the launch. Fields that are left out stay unchanged."""

    ALIASES = {"guide": "instructions"}
    shown = [one.name for one in SETTINGS.values() if one.changes == ALWAYS]

    people = texts(
        64, required=False, help_text="Pseudonyms or worker ids of those who may work on it; empty: everybody."
    )
    requirements = RequirementSerializer(many=True, required=False)

    def get_fields(self) -> dict[str, Any]:
        """The declared fields, and one for each other setting, in the order of the settings."""
        declared = super().get_fields()
        made = {one.name: input_field(one) for one in PLAIN if one.name in self.shown and one.name not in declared}
        for name in declared.keys() & SETTINGS.keys():
            declared[name].help_text = f"{description(SETTINGS[name])} {declared[name].help_text or ''}".strip()
        fields = made | declared
        return {name: fields.pop(name) for name in SETTINGS if name in fields} | fields


class DraftInput(TermsInput):
    """Settings of a draft. Fields that are left out stay unchanged; those of a new draft get the task's defaults."""

    EXAMPLE = {"title": "Which tower?", "expected_minutes": 2.5, "people": []}
    shown = list(SETTINGS)

    name = serializers.SlugField(max_length=100, required=False)
    task = KindField(choices=kinds(), required=False, help_text="One of `listTasks`.")
    datasets = texts(100, required=False)
    options = serializers.DictField(required=False, help_text="Those of the task; see `tasks/`.")
    marketplace = serializers.CharField(max_length=50, required=False, allow_blank=True)
    checks = ChecksSerializer(required=False)


class NewDraftInput(DraftInput):
    """A new draft."""

    EXAMPLE = {
        "title": "First study",
        "task": "answer",
        "datasets": ["wells"],
        "sample": 125,
        "seed": 7,
        "assignments_per_hit": 3,
        "paid": True,
        "reward": "0.25",
        "auto_approve_days": 7,
        "requirements": [{"type": QUALIFICATION, "comparator": "GreaterThanOrEqualTo", "values": [75]}],
    }

    title = serializers.CharField(max_length=200)
    task = KindField(choices=kinds(), help_text="One of `listTasks`.")
    datasets = texts(100, allow_empty=False)
