"""A model's predictions on a dataset, shown beside human scores in reports."""

from django.db import models

from annotation.models.dataset import Dataset, Item
from annotation.models.fields import JSONTextField, TimestampField


class PredictionSet(models.Model):
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="prediction_sets")
    model = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    ready = models.BooleanField(default=False)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "model"], name="prediction_set_once")]

    def __str__(self) -> str:
        return self.model


class Prediction(models.Model):
    prediction_set = models.ForeignKey(PredictionSet, models.CASCADE, related_name="predictions")
    item = models.ForeignKey(Item, models.CASCADE, related_name="predictions")
    content = JSONTextField()  # {"text", "support": [positions] | null, "facts": [[p, s]] | null, "answerable"}

    class Meta:
        constraints = [models.UniqueConstraint(fields=["prediction_set", "item"], name="prediction_once")]
