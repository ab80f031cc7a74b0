"""A project's home and its settings."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import discovery
from annotation.flow.data import dataset_removal
from annotation.flow.people import sign_up
from annotation.forms.projects import ProjectForm
from annotation.models import Project
from annotation.pure.people import roles
from annotation.views.access import member_required, require_get_or_post
from annotation.views.data.dataset_family import family_of
from annotation.views.markdown_html import html_of
from annotation.views.projects.project_home import now_of
from annotation.views.redirects import see


@never_cache
@require_safe
@member_required(roles.SEE)
def project(request: HttpRequest, project: Project) -> HttpResponse:
    """The project's home; before the first launch, the steps to it."""
    context = {
        "project": project,
        "section": "overview",
        "jobs": dataset_removal.under_way(project.jobs.all()).order_by("due_at")[:8],
        "family": family_of(project),
        **now_of(project, request.may),
    }
    return render(request, "projects/project.html", context)


@never_cache
@require_safe
@member_required(roles.SEE)
def project_now(request: HttpRequest, project: Project) -> HttpResponse:
    """The changing part of the home, as a polling fragment."""
    return render(request, "projects/_live_figures.html", {"project": project, **now_of(project, request.may)})


@require_get_or_post
@member_required(roles.OWN)
def project_settings(request: HttpRequest, project: Project) -> HttpResponse:
    """Settings of the project; "preview" shows the consent text and saves nothing."""
    form = ProjectForm(request.POST) if request.method == "POST" else ProjectForm.of(project)
    if request.htmx and "preview" in request.POST:
        return render(request, "projects/_consent.html", _shown(request.POST.get("consent", "")))
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        changed = sign_up.change_project(project, **form.cleaned_data)
        again = _("Saved. The consent text changed, so workers must accept it again before their next assignment.")
        messages.success(request, again if changed else _("Saved."))
        return see("project-settings", project.slug)
    text = form["consent"].value() or ""
    context = {"project": project, "section": "settings", "form": form, **_shown(text)}
    context["pages"] = discovery.listed("menu", "SETTINGS")
    return render(request, "projects/settings.html", context, status=422 if form.errors else 200)


def _shown(text: str) -> dict[str, Any]:
    return {"consent_html": html_of(text)}
