"""What a panel's export tells of its participants, for tables of groups only."""

from django.db import models

from annotation.marketplaces.models.studies import PanelStudy
from annotation.models import Worker

LONGEST = 100  # characters of a column's name or a value


class Demographic(models.Model):
    """A participant's value in one column. It is in no export, and never shown beside a single participant."""

    study = models.ForeignKey(PanelStudy, models.CASCADE, related_name="demographics")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="demographics")
    name = models.CharField(max_length=LONGEST)
    value = models.CharField(max_length=LONGEST)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "worker", "name"], name="demographic_once")]
