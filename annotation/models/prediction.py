"""Models' predictions for the task of a batch: what a worker's response would be, never counted among people's."""

from django.db import models
from django.db.models import Q

from annotation.models.batch import Batch
from annotation.models.dataset import Item
from annotation.models.fields import JSONTextField, TimestampField


class BatchModel(models.Model):
    """A model with predictions for a batch's task."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="models")
    name = models.CharField(max_length=200)
    asked = models.BooleanField(default=False)  # here, by one run with one prompt; nothing is imported into it
    drew_up_to = models.PositiveBigIntegerField(null=True)
    # ... key of its last prediction when the batch's sample was drawn by its confidence; null: it drew none
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "name"], name="batch_model_once")]

    def __str__(self) -> str:
        return self.name


class ModelPrediction(models.Model):
    """A model's response in one run to an item of the batch's datasets, whether or not the item has a HIT."""

    model = models.ForeignKey(BatchModel, models.CASCADE, related_name="predictions")
    item = models.ForeignKey(Item, models.CASCADE, related_name="model_predictions")
    run = models.PositiveIntegerField(default=1)
    answer = JSONTextField()  # as a worker's response is stored
    confidence = models.FloatField(null=True)  # 0..1, as the model gave it
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True)  # US dollars, not money of the ledger

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["model", "item", "run"], name="model_prediction_once"),
            models.CheckConstraint(condition=Q(run__gte=1), name="model_prediction_run_from_one"),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__gte=0, confidence__lte=1),
                name="model_prediction_confidence_share",
            ),
            models.CheckConstraint(
                condition=Q(cost__isnull=True) | Q(cost__gte=0), name="model_prediction_cost_not_negative"
            ),
        ]
