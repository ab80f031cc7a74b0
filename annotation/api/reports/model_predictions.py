"""Models' predictions for a batch's task: list the models, import, delete."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation import jobs
from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import QueuedSerializer, operation
from annotation.api.serializers import BINARY, Input, posted_file_and_fields
from annotation.flow.reports.model_predictions import delete_predictions, models_with_counts
from annotation.models import BatchModel, Job


class BatchModelSerializer(serializers.Serializer):
    """A model with predictions for the batch's task."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    items = serializers.IntegerField(help_text="How many items it judged.")
    runs = serializers.IntegerField(help_text="How many runs it has; those on an item are one prediction.")
    cost = serializers.DecimalField(
        max_digits=20, decimal_places=8, allow_null=True, help_text="US dollars, not paid from the project's budget."
    )
    created_at = serializers.DateTimeField(help_text="When predictions of it were first stored.")


class PredictionsInput(Input):
    """What a file of predictions is about."""

    texts = True
    model = serializers.CharField(max_length=200, help_text="Its name. Use another for another prompt or version.")
    dataset = serializers.CharField(max_length=100, required=False, help_text="Of a batch with several: which one.")
    file_name = serializers.CharField(max_length=255, required=False, help_text="The file's name.")


class PredictionsUploadSerializer(PredictionsInput):
    """Predictions as a form, with the file."""

    file = serializers.FileField()


BODIES = {"multipart/form-data": PredictionsUploadSerializer, "application/octet-stream": BINARY}


class BatchModelViewSet(BatchPartViewSet):
    """Models with predictions for a batch's task."""

    serializer_class = BatchModelSerializer
    lookup_field, lookup_value_converter = "pk", "int"
    row: BatchModel

    def get_queryset(self) -> Any:
        return models_with_counts(self.batch)

    @operation()
    def list(self) -> None:
        """List the models with predictions for the batch's task, oldest first."""

    @operation(takes=BODIES, parameters=(PredictionsInput,), gives=QueuedSerializer, id="importPredictions")
    def create(self) -> Job:
        """Import a model's predictions for the batch's task, in a job. All or nothing.

        The file is the body itself, with the other fields in the query, or the part `file` of a form: JSON lines of
        `item` (position or id), `answer` (as a worker's response) and perhaps `confidence`, `cost` and `run`; of
        ratings also a table. The same file again changes nothing. No worker sees a prediction.
        """
        empty = _("The file is empty. Send one with at least one prediction.")
        file, data = posted_file_and_fields(self.request, PredictionsInput, empty)
        file.name = data.get("file_name") or file.name
        known = {dataset.slug: dataset for dataset in self.batch.datasets.all()}
        dataset = known.get(data.get("dataset", next(iter(known)) if len(known) == 1 else ""))
        if dataset is None:
            text = _("Name one of the batch's datasets: %(names)s.") % {"names": ", ".join(sorted(known))}
            raise ValidationError({"dataset": [text]})
        return jobs.start_import_of_predictions(
            self.batch, dataset, model=data["model"], file=file, user=self.request.user
        )

    @operation(id="deletePredictions")
    def destroy(self) -> None:
        """Erase a model's predictions for the batch, for good."""
        delete_predictions(self.batch, self.row.name)
