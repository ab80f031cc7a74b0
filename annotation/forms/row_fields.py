"""Fields to choose rows of the database."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from annotation.models import Batch, Dataset, Project, Worker


class Checkboxes(forms.CheckboxSelectMultiple):
    """Django's widget without a template for each checkbox, for thousands of workers; chosen ones first."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        chosen = set(self.format_value(value))
        attrs = self.build_attrs(self.attrs, attrs)
        id, marks = attrs.pop("id", name), flatatt(attrs)
        boxes = format_html_join(
            "\n",
            '<div><label for="{0}_{1}"><input type="checkbox" name="{2}" value="{3}" id="{0}_{1}"{4}{5}> {6}'
            "</label></div>",
            (
                (id, number, name, key, marks, " checked" if str(key) in chosen else "", label)
                for number, (key, label) in enumerate(sorted(self.choices, key=lambda one: str(one[0]) not in chosen))
            ),
        )
        return format_html('<div id="{}">{}</div>', id, boxes)


class RowsField(forms.ModelMultipleChoiceField):
    """Checkboxes of rows. Numbers too large for the database are refused like unknown ones."""

    widget = Checkboxes

    def clean(self, value: Any) -> Any:
        try:
            return super().clean(value)
        except OverflowError:
            raise ValidationError(self.error_messages["invalid_choice"], params={"value": value[0][:20]}) from None


class DatasetsField(RowsField):
    def label_from_instance(self, dataset: Dataset) -> str:
        text = ngettext("%(name)s · %(n)s item", "%(name)s · %(n)s items", dataset.size)
        return text % {"name": dataset.slug, "n": f"{dataset.size:,}"}


class WorkersField(RowsField):
    def label_from_instance(self, worker: Worker) -> str:
        return f"{worker.user} · {worker.pseudonym[:8]}"


def offered(project: Project, batch: Batch | None) -> QuerySet[Dataset]:
    """The datasets to choose from, including those that a draft has already chosen."""
    chosen = [*batch.datasets.all(), *batch.checks.all()] if batch else []
    return project.datasets.offered(besides=chosen).order_by("slug")
