"""A project's home and its settings."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.console_forms import ProjectForm
from annotation.flow import joining
from annotation.models import Batch, Dataset, Job, Project
from annotation.views.access import requester_required, require_get_or_post
from annotation.views.ancestry import derived_from
from annotation.views.prose import html_of
from annotation.views.seeing import see

UNDER_WAY = [Job.State.WAITING, Job.State.RUNNING]


@require_safe
@requester_required
def project(request: HttpRequest, project: Project) -> HttpResponse:
    """What the project holds and what runs; before the first launch, the way there."""
    batches = list(project.batches.prefetch_related("datasets").order_by("-created_at")[:8])
    context = {
        "project": project,
        "section": "overview",
        "batches": batches,
        "datasets": [(row, derived_from(row)) for row in project.datasets.whole().order_by("-created_at")[:8]],
        "jobs": project.jobs.filter(state__in=UNDER_WAY).order_by("due_at")[:8],
        "counts": _counts(project),
    }
    return render(request, "projects/project.html", context)


def _counts(project: Project) -> dict[str, Any]:
    launched = project.batches.exclude(state__in=[Batch.State.DRAFT, Batch.State.LAUNCHING])
    return {
        "datasets": project.datasets.filter(state=Dataset.State.READY).count(),
        "batches": project.batches.count(),
        "launched": launched.count(),
        "annotators": project.workers.filter(active=True, user__isnull=False).count(),
        "requesters": project.members.count(),
    }


@require_get_or_post
@requester_required
def project_settings(request: HttpRequest, project: Project) -> HttpResponse:
    """Title and consent text; "preview" shows the text and saves nothing."""
    form = ProjectForm(request.POST) if request.method == "POST" else ProjectForm.of(project)
    if request.htmx and "preview" in request.POST:
        return render(request, "projects/_consent.html", _shown(request.POST.get("consent", "")))
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        changed = joining.change_project(project, **form.cleaned_data)
        again = _("Saved. The consent text changed, so annotators accept it again before their next assignment.")
        messages.success(request, again if changed else _("Saved."))
        return see("project-settings", project.slug)
    text = form["consent"].value() or ""
    context = {"project": project, "section": "settings", "form": form, **_shown(text)}
    return render(request, "projects/settings.html", context, status=422 if form.errors else 200)


def _shown(text: str) -> dict[str, Any]:
    return {"consent_html": html_of(text)}
