"""Rows of the database to tick in a form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import ngettext

from annotation.models import Batch, Dataset, Project, Worker


class RowsField(forms.ModelMultipleChoiceField):
    """Rows to tick. A number that no row can have is refused like one that none has."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except OverflowError:
            raise ValidationError(self.error_messages["invalid_choice"], params={"value": value[0][:20]}) from None


class DatasetsField(RowsField):
    def label_from_instance(self, dataset: Dataset) -> str:
        text = ngettext("%(name)s · %(n)s item · %(format)s", "%(name)s · %(n)s items · %(format)s", dataset.size)
        return text % {"name": dataset.slug, "n": f"{dataset.size:,}", "format": dataset.format}


class WorkersField(RowsField):
    def label_from_instance(self, worker: Worker) -> str:
        return f"{worker.user} · {worker.pseudonym[:8]}"


def offered(project: Project, batch: Batch | None) -> QuerySet[Dataset]:
    """The datasets to choose from, with those that a draft has chosen already."""
    chosen = [*batch.datasets.all(), *batch.checks.all()] if batch else []
    return project.datasets.offered(besides=chosen).order_by("slug")
