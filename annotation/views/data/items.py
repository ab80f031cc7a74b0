"""One item of a dataset with all its gold, for requesters."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotation.models import Batch, Dataset, Hit, Item, Project
from annotation.pure.people import roles
from annotation.views.access import member_required
from annotation.views.data.datasets import dataset_of
from annotation.views.data.example_display import exhibit


def _asking(dataset: Dataset, position: int) -> QuerySet[Batch]:
    """The batches with any version of the item."""
    versions = Item.every.filter(dataset=dataset, position=position)
    return Batch.objects.filter(pk__in=Hit.objects.filter(item__in=versions).values("batch")).order_by("-created_at")


@require_safe
@member_required(roles.SEE)
def item(request: HttpRequest, project: Project, name: str, position: int) -> HttpResponse:
    """Question, answers, decomposition and context of the item at a 0-based position."""
    dataset = dataset_of(project, name)
    row = get_object_or_404(dataset.items, position=position)
    context = {
        "project": project,
        "section": "datasets",
        "dataset": dataset,
        "item": row,
        "previous": position - 1 if position > 0 else None,
        "next": position + 1 if position + 1 < dataset.size else None,
        "batches": _asking(dataset, row.position),
        **exhibit(row.example),
    }
    return render(request, "data/item.html", context)
