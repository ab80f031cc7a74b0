"""The page that computes what a planned study can find. The plan is in the query string, so it can be linked."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.flow.reports import power_plan
from annotation.forms.reports import PowerForm
from annotation.models import Batch, Project
from annotation.pure.people import roles
from annotation.pure.reports import tables
from annotation.pure.reports.explanations import chapter
from annotation.views.access import member_page
from annotation.views.batches.batch_page import is_folded
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.post_handling import refusal_in_form
from annotation.views.reports.figure_notes import FigureNotes, in_words
from annotation.views.reports.report_tables import shown_table


@member_page(roles.SEE)
def power(request: HttpRequest, project: Project) -> HttpResponse:
    """The form, and the figures of a plan that was asked for."""
    form = PowerForm(request.GET if "items" in request.GET else None, batches=_pilots(request, project))
    context: dict[str, Any] = {
        "project": project,
        "section": "batches",
        "breadcrumbs": section_breadcrumbs(project, "batches", _("How many items?")),
        "form": form,
    }
    if form.is_valid():
        with refusal_in_form(form):
            found = power_plan.plan(form.given, pilot=form.cleaned_data["pilot"])
            notes = FigureNotes((chapter("plan"),), lambda kind, _study: [{"text": in_words(kind, None), "url": ""}])
            context |= {
                "paragraph": " ".join(tables.sentence(part, _) for part in found["paragraph"]),
                "tables": [shown_table(table, notes=notes) for table in found["tables"]],
                "found": found,
            }
    return render(request, "reports/power.html", context, status=422 if form.errors else 200)


def _pilots(request: HttpRequest, project: Project) -> Any:
    """Launched batches whose scores the viewer may see now."""
    rows = project.batches.filter(launched_at__isnull=False).exclude(task="external").order_by("-launched_at")[:50]
    shown = [batch.pk for batch in rows if not is_folded(request, batch)]
    return Batch.objects.filter(pk__in=shown).order_by("-launched_at")
