"""The page on what each figure of a report means, made of the same entries as the “?” beside figures."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.pure.reports.explanation_index import sections
from annotation.registry import explanations_of, task_types


@require_safe
def figures(request: HttpRequest) -> HttpResponse:
    """Show every explanation."""
    tasks = map(explanations_of, task_types().values())
    return render(request, "reports/figures.html", {"sections": sections(tasks, _)})
