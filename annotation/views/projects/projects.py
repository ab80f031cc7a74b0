"""A project: creating it, its home with the progress of its batches, and its settings."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Max
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.timesince import timeuntil
from django.utils.timezone import now
from django.utils.translation import gettext as _

from annotation import discovery
from annotation.flow.data import dataset_removal
from annotation.flow.people import consent
from annotation.flow.projects import overview, projects
from annotation.flow.projects.overview import BatchProgress
from annotation.forms.projects import NewProjectForm, ProjectForm
from annotation.models import BatchReport, Project
from annotation.pure.people import roles
from annotation.views import next_steps
from annotation.views.access import Request, member_page, member_required, require_get_or_post
from annotation.views.data.dataset_family import family_of
from annotation.views.markdown_html import html_for_reader
from annotation.views.post_handling import refusal_in_form, see_other


@member_page(roles.SEE)
def project(request: Request, project: Project) -> HttpResponse:
    """The project's home; before the first launch, the steps to it."""
    context = {
        "project": project,
        "section": "overview",
        "jobs": dataset_removal.under_way(project.jobs.all()).order_by("due_at")[:8],
        "family": family_of(project),
        "ephemeral": settings.EPHEMERAL,
        **now_of(project, request.may),
    }
    return render(request, "projects/project.html", context)


@member_page(roles.SEE)
def project_now(request: Request, project: Project) -> HttpResponse:
    """The changing part of the home, as a polling fragment."""
    return render(request, "projects/_live_figures.html", {"project": project, **now_of(project, request.may)})


@require_get_or_post
@member_required(roles.OWN)
def project_settings(request: Request, project: Project) -> HttpResponse:
    """Settings of the project; "preview" shows the consent text and saves nothing."""
    form = ProjectForm(request.user, request.POST if request.method == "POST" else None, project=project)
    if request.htmx and "preview" in request.POST:
        html = html_for_reader(request.POST.get("consent", ""))
        return render(request, "projects/_consent.html", {"consent_html": html})
    if form.is_valid() and "preview" not in request.POST:
        changed = projects.change_project(project, form.settings)
        again = _("Saved. The consent text changed, so workers must accept it again before their next assignment.")
        messages.success(request, again if changed else _("Saved."))
        return see_other("project-settings", project.slug)
    html = html_for_reader(form["consent"].value() or "")
    context = {"project": project, "section": "settings", "form": form, "consent_html": html}
    context["paragraphs"] = consent.offered(project)
    context["pages"] = discovery.listed("SETTINGS")
    return render(request, "projects/settings.html", context, status=422 if form.errors else 200)


def now_of(project: Project, may: frozenset[str]) -> dict[str, Any]:
    """The part that changes while people work, for polling."""
    running = overview.running(project)
    totals = overview.totals(project)
    return {
        "totals": totals,
        "purse": overview.project_money(project) if roles.PAY in may else None,
        "steps": next_steps.shown(project, next_steps.waiting(project), may),
        "batches": _rows(project, running),
        "more": max(0, totals["batches"] - len(running)),
        "rounds": overview.rounds(project),
    }


def _rows(project: Project, running: list[BatchProgress]) -> list[dict[str, Any]]:
    made = BatchReport.objects.filter(batch__in=[progress.batch.pk for progress in running]).order_by()
    reports = dict(made.values_list("batch").annotate(at=Max("created_at")))
    return [
        {
            "batch": progress.batch,
            "progress": progress,
            "datasets": sorted(dataset.slug for dataset in progress.batch.datasets.all()),
            "left": timeuntil(now() + progress.left, depth=1) if progress.left else "",
            "report": reports.get(progress.batch.pk),
        }
        for progress in running
    ]


@require_get_or_post
@login_required
def project_new(request: Request) -> HttpResponse:
    """The form of a new project, for users who may create one; redirects to the project's home."""
    if not projects.may_create_project(request.user):
        raise Http404
    form = NewProjectForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusal_in_form(form, "name"):
            return see_other("project", projects.create_project(request.user, form.settings).slug)
        form.fields["name"].widget.attrs["autofocus"] = True
    return render(request, "projects/new.html", {"form": form}, status=422 if form.is_bound else 200)
