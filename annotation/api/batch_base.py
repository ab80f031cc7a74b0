"""What views below a batch share: finding it, and what a batch looks like outside."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers

from annotation.api.base import ProjectView
from annotation.api.lists import JSON, ProjectList, Wish, dollars
from annotation.flow import checking
from annotation.models import Batch, Hit, Project

DAY = 24 * 3600


def batch_named(project: Project, slug: str) -> Batch:
    """The batch of that name in the project; 404 otherwise."""
    batch: Batch = get_object_or_404(project.batches.select_related("connection"), slug=slug)
    batch.project = project
    return batch


class OfBatch:
    """Below a batch: `batch` stands before a method runs."""

    project: Project
    kwargs: dict[str, Any]
    batch: Batch

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)  # type: ignore[misc]
        self.batch = batch_named(self.project, kwargs["batch"])


class BatchView(OfBatch, ProjectView):
    """One thing of a batch."""


class BatchList(OfBatch, ProjectList):
    """A list of things of a batch."""


class HitView(BatchView):
    """One HIT of a batch: `hit` stands before a method runs."""

    hit: Hit

    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)
        rows = self.batch.hits.select_related("item__dataset", "batch")
        self.hit = get_object_or_404(rows, public_id=kwargs["public_id"])


class CountsSerializer(serializers.Serializer):
    """How a batch is getting on. `places`: assignments that its HITs ask for; `done`: those that count towards them."""

    hits = serializers.IntegerField()
    voided = serializers.IntegerField()
    places = serializers.IntegerField()
    done = serializers.IntegerField()
    submitted = serializers.IntegerField()
    in_work = serializers.IntegerField()
    late = serializers.IntegerField()
    surplus = serializers.IntegerField()
    given_back = serializers.IntegerField()
    flags = serializers.IntegerField(help_text="Reports of problems that nobody decided on yet.")


class RequirementSerializer(Wish):
    """A condition on a qualification, as MTurk's protocol has them; `type` is the qualification's id."""

    type = serializers.CharField(max_length=64)
    comparator = serializers.CharField(max_length=30)
    values = serializers.ListField(child=serializers.IntegerField(), required=False)
    locales = serializers.ListField(child=serializers.JSONField(), required=False)
    guard = serializers.CharField(max_length=30, required=False)


class ChecksSerializer(Wish):
    """Hidden gold among a worker's items, in percent, and when its rule warns and pauses."""

    datasets = serializers.ListField(child=serializers.CharField(max_length=100), required=False)
    percent = serializers.FloatField(required=False, allow_null=True, min_value=0, max_value=50)
    after = serializers.IntegerField(required=False, min_value=1, max_value=1000)
    warn_below_percent = serializers.FloatField(required=False, allow_null=True, min_value=1, max_value=100)
    pause_below_percent = serializers.FloatField(required=False, allow_null=True, min_value=1, max_value=100)


class PaySerializer(serializers.Serializer):
    """The money of a batch, in dollars: set aside, paid to workers, taken as fees."""

    held = dollars()
    paid = dollars()
    taken = dollars(help_text="Fees.")


class GuideSerializer(serializers.Serializer):
    """One version of the instructions, in Markdown."""

    version = serializers.IntegerField()
    text = serializers.CharField()
    created_at = serializers.DateTimeField(allow_null=True)


class BatchSerializer(serializers.Serializer):
    """A batch with its settings and counts."""

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
    expected_minutes = serializers.SerializerMethodField()
    meeting = serializers.ChoiceField(choices=Batch.Meeting.choices)
    fresh_only = serializers.BooleanField()
    disjoint = serializers.BooleanField()
    unseen_only = serializers.BooleanField()
    people = serializers.SerializerMethodField()
    requirements = RequirementSerializer(many=True)
    paid = serializers.SerializerMethodField()
    reward = dollars()
    auto_approve_days = serializers.SerializerMethodField()
    marketplace = serializers.SerializerMethodField()
    checks = serializers.SerializerMethodField()
    size = serializers.IntegerField(help_text="HITs, once launched.")
    counts = CountsSerializer()
    created_at = serializers.DateTimeField()
    launched_at = serializers.DateTimeField(allow_null=True)

    def get_datasets(self, batch: Batch) -> list[str]:
        return sorted(dataset.slug for dataset in batch.datasets.all())

    def get_expected_minutes(self, batch: Batch) -> float:
        return round(batch.expected_seconds / 60, 2)

    def get_people(self, batch: Batch) -> list[str]:
        """Pseudonyms of those who may work on it; none: everybody."""
        return sorted(batch.project.pseudonym(worker.pk) for worker in batch.workers.all())

    def get_paid(self, batch: Batch) -> bool:
        return batch.auto_approval is not None

    def get_auto_approve_days(self, batch: Batch) -> int | None:
        return None if batch.auto_approval is None else round(batch.auto_approval / DAY)

    def get_marketplace(self, batch: Batch) -> str:
        return batch.connection.name if batch.connection else ""

    def get_checks(self, batch: Batch) -> JSON:
        """The hidden gold, as it is set."""
        return checks_of(batch)


class OneBatchSerializer(BatchSerializer):
    """The same with its money and its guide."""

    pay = PaySerializer()
    guide = GuideSerializer()


def checks_of(batch: Batch) -> JSON:
    """A batch's hidden gold as ChecksSerializer has it."""
    rule = checking.read_rule(batch.check_rule)
    return {
        "datasets": sorted(dataset.slug for dataset in batch.checks.all()),
        "percent": round(100 * batch.check_share, 2) or None,
        "after": rule.after,
        "warn_below_percent": _percent(rule.warn_below),
        "pause_below_percent": _percent(rule.pause_below),
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 2)
