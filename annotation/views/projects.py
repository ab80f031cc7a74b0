"""A project's home and its settings."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.console_forms import ProjectForm
from annotation.flow import joining, removing
from annotation.models import Project
from annotation.pure import roles
from annotation.views.access import member_required, require_get_or_post
from annotation.views.family_exhibit import family_of
from annotation.views.home_exhibit import now_of
from annotation.views.prose import html_of
from annotation.views.seeing import see


@never_cache
@require_safe
@member_required(roles.SEE)
def project(request: HttpRequest, project: Project) -> HttpResponse:
    """Everything of the project at a glance; before the first launch, the way there."""
    context = {
        "project": project,
        "section": "overview",
        "jobs": removing.under_way(project.jobs.all()).order_by("due_at")[:8],
        "family": family_of(project),
        **now_of(project, request.may),
    }
    return render(request, "projects/project.html", context)


@never_cache
@require_safe
@member_required(roles.SEE)
def project_now(request: HttpRequest, project: Project) -> HttpResponse:
    """The part of the home that changes while people work, as a fragment that asks for itself."""
    return render(request, "projects/_now.html", {"project": project, **now_of(project, request.may)})


@require_get_or_post
@member_required(roles.OWN)
def project_settings(request: HttpRequest, project: Project) -> HttpResponse:
    """Title and consent text; "preview" shows the text and saves nothing."""
    form = ProjectForm(request.POST) if request.method == "POST" else ProjectForm.of(project)
    if request.htmx and "preview" in request.POST:
        return render(request, "projects/_consent.html", _shown(request.POST.get("consent", "")))
    if request.method == "POST" and form.is_valid() and "preview" not in request.POST:
        changed = joining.change_project(project, **form.cleaned_data)
        again = _("Saved. The consent text changed, so workers accept it again before their next assignment.")
        messages.success(request, again if changed else _("Saved."))
        return see("project-settings", project.slug)
    text = form["consent"].value() or ""
    context = {"project": project, "section": "settings", "form": form, **_shown(text)}
    return render(request, "projects/settings.html", context, status=422 if form.errors else 200)


def _shown(text: str) -> dict[str, Any]:
    return {"consent_html": html_of(text)}
