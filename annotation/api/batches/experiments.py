"""Experiments: batches joined as arms, their link for workers, and how balanced they are."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.operations import operation
from annotation.api.serializers import JSON, Input, refuse_unknown, texts
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.batches import experiments
from annotation.models import Experiment

EACH = "What each worker gets: `one` arm, or all in a drawn `order`."


class ExperimentInput(Input):
    """The batches to join, and what each worker gets of them."""

    EXAMPLE = {"name": "hints", "batches": ["with-hints", "without"], "each": "one", "title": "Answer questions"}

    name = serializers.SlugField(max_length=100)
    batches = texts(100, allow_empty=False, max_length=50, help_text="Batches without responses so far.")
    each = serializers.ChoiceField(choices=Experiment.Each.choices, default=Experiment.Each.ONE, help_text=EACH)
    title = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        default="",
        help_text="Workers see it for every arm, in place of the arms' own titles; by default that of the first batch.",
    )


class ArmCountSerializer(serializers.Serializer):
    """Workers of an arm at a position in their order."""

    arm = serializers.CharField(source="arm.slug", help_text="The batch.")
    position = serializers.IntegerField(help_text="From 1; always 1 if each worker gets one arm.")
    drawn = serializers.IntegerField(help_text="Workers who drew it.")
    began = serializers.IntegerField(help_text="Workers who accepted a HIT of it.")
    submitted = serializers.IntegerField(help_text="Workers who submitted a response to it.")


class ListedExperimentSerializer(serializers.Serializer):
    """An experiment."""

    name = serializers.CharField(source="slug")
    title = serializers.CharField()
    each = serializers.ChoiceField(choices=Experiment.Each.choices, help_text=EACH)
    link = serializers.SerializerMethodField(help_text="The one link for workers.")
    created_at = serializers.DateTimeField()

    def get_link(self, experiment: Experiment) -> str:
        path = reverse("experiment-start", args=[experiment.token])
        return str(self.context["view"].request.build_absolute_uri(path))


class ExperimentSerializer(ListedExperimentSerializer):
    """An experiment with the number of workers in each arm."""

    arms = ArmCountSerializer(many=True, source="arm_counts", help_text="A row for each arm and position.")


class ExperimentViewSet(ResourceViewSet):
    """The experiments of a project."""

    serializer_class = ExperimentSerializer
    list_serializer_class = ListedExperimentSerializer
    ordering = "-pk"
    lookup_field, lookup_url_kwarg = "slug", "name"

    def get_queryset(self) -> Any:
        return self.project.experiments.all()

    def prepare(self, rows: list[Any]) -> list[Any]:
        if not self.operation.many:
            for row in rows:
                row.arm_counts = experiments.balance(row)
        return rows

    @operation()
    def list(self) -> None:
        """List experiments, newest first."""

    @operation(takes=ExperimentInput)
    def create(self, data: JSON) -> Experiment:
        """Make batches the arms of an experiment: a worker draws one of them, or an order of all."""
        names = data.pop("batches")
        found = {batch.slug: batch for batch in self.project.batches.filter(slug__in=names)}
        refuse_unknown("batches", names, found, _("There is no batch %(name)s."))
        arms = [found[name] for name in names]
        return experiments.join(self.project, data.pop("name"), arms, user=self.request.user, **data)

    @operation()
    def retrieve(self) -> None:
        """One experiment."""

    @operation()
    def destroy(self) -> None:
        """Remove an experiment in which nobody drew; its arms stay as batches."""
        experiments.take_apart(self.row)
