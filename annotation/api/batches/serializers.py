"""Serializers of batches, and the base of resources of a batch."""

from django.shortcuts import get_object_or_404
from rest_framework import serializers

from annotation import recruitment
from annotation.api.serializers import JSON, Input, dollars, texts
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.batches import hidden_gold
from annotation.models import Batch

DAY = 24 * 3600


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
    percent = serializers.FloatField(required=False, allow_null=True, min_value=0, max_value=50)
    after = serializers.IntegerField(required=False, min_value=1, max_value=1000)
    warn_below_percent = serializers.FloatField(required=False, allow_null=True, min_value=1, max_value=100)
    pause_below_percent = serializers.FloatField(required=False, allow_null=True, min_value=1, max_value=100)


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
    title = serializers.CharField()
    task = serializers.CharField()
    state = serializers.ChoiceField(choices=Batch.State.choices)
    purpose = serializers.ChoiceField(choices=Batch.Purpose.choices)
    datasets = serializers.SerializerMethodField()
    options = serializers.DictField()
    sample = serializers.IntegerField(allow_null=True)
    seed = serializers.IntegerField()
    assignments_per_hit = serializers.IntegerField()
    most_per_worker = serializers.IntegerField(allow_null=True)
    expected_minutes = serializers.SerializerMethodField()
    meeting = serializers.ChoiceField(choices=Batch.Meeting.choices)
    fresh_only = serializers.BooleanField()
    same_order = serializers.BooleanField()
    disjoint = serializers.BooleanField()
    unseen_only = serializers.BooleanField()
    two_adjudicators = serializers.BooleanField()
    shows_scores = serializers.BooleanField()
    counts_pasting = serializers.BooleanField()
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
        rule = hidden_gold.read_rule(batch.check_rule)
        return {
            "datasets": sorted(dataset.slug for dataset in batch.checks.all()),
            "percent": round(100 * batch.check_share, 2) or None,
            "after": rule.after,
            "warn_below_percent": _percent(rule.warn_below),
            "pause_below_percent": _percent(rule.pause_below),
        }


class OneBatchSerializer(BatchSerializer):
    """A batch with its money and its instructions."""

    pay = PaySerializer()
    instructions = InstructionsSerializer()


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 2)
