"""A model's predictions on a dataset, shown beside human scores in reports."""

from __future__ import annotations

from django.db import models

from annotation.models.dataset import Dataset, Item
from annotation.models.fields import JSONTextField, TimestampField
from annotation.pure.reports.baselines import SHOWN


class PredictionSet(models.Model):
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="prediction_sets")
    model = models.CharField(max_length=200)
    # what the model was shown; "": the items as they are
    shown = models.CharField(
        max_length=20, choices=[(name, name) for name in SHOWN], blank=True, default="", db_default=""
    )
    sha256 = models.CharField(max_length=64)
    ready = models.BooleanField(default=False)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["dataset", "model", "shown"], name="prediction_set_once_shown")]

    def __str__(self) -> str:
        return self.model


class PredictionQuerySet(models.QuerySet["Prediction"]):
    def of_models(self) -> PredictionQuerySet:
        """Complete predictions made from the items as they are."""
        return self.filter(prediction_set__ready=True, prediction_set__shown="")

    def of_baselines(self) -> PredictionQuerySet:
        """Complete predictions of models that were shown less."""
        return self.filter(prediction_set__ready=True).exclude(prediction_set__shown="")


class Prediction(models.Model):
    prediction_set = models.ForeignKey(PredictionSet, models.CASCADE, related_name="predictions")
    item = models.ForeignKey(Item, models.CASCADE, related_name="predictions")
    content = JSONTextField()  # {"text", "support": [positions] | null, "facts": [[p, s]] | null, "answerable"}

    objects = PredictionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["prediction_set", "item"], name="prediction_once")]
