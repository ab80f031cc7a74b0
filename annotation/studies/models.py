"""Studies that were launched in a project."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.fields import JSONTextField, TimestampField
from annotation.models.project import Project
from annotation.pure.studies import definition, published


class StudyRun(models.Model):
    """A study as it was launched: the texts of its folder, frozen, with what chose the data.

    Its datasets and batches are those of the project whose names begin with `slug-`.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="study_runs")
    slug = models.SlugField(max_length=60)
    study = models.CharField(max_length=100)  # the folder's name
    text = models.TextField()  # study.yaml
    figures = models.TextField()  # published.csv
    seed = models.BigIntegerField(default=0)
    scale = models.FloatField(default=1.0)
    files = JSONTextField(default=dict)  # {data: SHA-256 of its file}
    small = models.BooleanField(default=False)
    analysis = JSONTextField(null=True, blank=True)  # of all batches together, as last computed
    analysed = models.CharField(max_length=64, blank=True, default="", db_default="")  # digest of what that covers
    crossed = JSONTextField(null=True, blank=True)  # figures over workers and items: studies/report.py
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "slug"], name="study_run_once")]

    def __str__(self) -> str:
        return self.slug

    @property
    def definition(self) -> definition.Definition:
        return definition.read(self.text)

    @property
    def published(self) -> list[published.Published]:
        return published.read(self.figures)

    def name_of(self, part: str) -> str:
        """The name in the project of a dataset or batch of the study."""
        return f"{self.slug}-{part}"
