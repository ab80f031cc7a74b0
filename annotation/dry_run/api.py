"""Dry runs: simulated workers try a batch out on a copy."""

from dataclasses import asdict, fields

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import QueuedSerializer, operation
from annotation.api.serializers import JSON, Input
from annotation.dry_run import run
from annotation.dry_run.forecast import WorkerModel
from annotation.dry_run.run import MOST_HITS, MOST_WORKERS
from annotation.models import Job

CROWD = WorkerModel()


def _parameter(name: str, help_text: str, least: float = 0, most: float = 1) -> serializers.FloatField:
    return serializers.FloatField(default=getattr(CROWD, name), min_value=least, max_value=most, help_text=help_text)


class CrowdInput(Input):
    """Parameters of the simulated workers; shares are 0 to 1."""

    skill = _parameter("skill", "Share of right answers of the average worker.")
    spread = _parameter("spread", "Standard deviation of skill.")
    speed = _parameter("speed", "How fast they work; 2: in half the time.", 0.1, 10)
    lazy = _parameter("lazy", "Workers who hurry and make more mistakes.")
    spam = _parameter("spam", "Workers who guess.")
    dropout = _parameter("dropout", "Share of responses after which a worker stops for good.")
    returns = _parameter("returns", "Share of accepted HITs that are returned.")
    abandons = _parameter("abandons", "Share of accepted HITs that are abandoned.")
    hours = _parameter("hours", "Hours within which they arrive.", 0, 1000)

    def validate(self, data: JSON) -> JSON:
        try:
            return asdict(WorkerModel(**data))
        except ValueError as invalid:
            raise ValidationError(str(invalid)) from None


class DryRunInput(Input):
    """The number of simulated workers and HITs."""

    EXAMPLE = {"workers": 20, "hits": 50, "seed": 1}

    workers = serializers.IntegerField(default=40, min_value=1, max_value=MOST_WORKERS)
    hits = serializers.IntegerField(
        default=MOST_HITS,
        min_value=1,
        max_value=10_000,
        help_text="How many HITs are simulated; figures for the others are extrapolated.",
    )
    seed = serializers.IntegerField(default=0, min_value=0, max_value=2**31 - 1)
    crowd = CrowdInput(required=False)


class DryRunViewSet(BatchPartViewSet):
    """Dry runs of a batch."""

    single = True

    @operation(takes=DryRunInput, gives=QueuedSerializer, id="startDryRun")
    def create(self, data: JSON) -> Job:
        """Try a batch out with simulated workers in a job; its result is the forecast.

        The batch itself is not changed.
        """
        crowd = data.get("crowd") or {field.name: getattr(CROWD, field.name) for field in fields(WorkerModel)}
        terms = {name: data[name] for name in ("workers", "hits", "seed")}
        return run.enqueue(self.batch, {**terms, "crowd": crowd}, user=self.request.user)
