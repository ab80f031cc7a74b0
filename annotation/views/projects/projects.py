"""A project: creating it, its home with the progress of its batches, its settings, its log, and members' API tokens."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F, Max, Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.timesince import timeuntil
from django.utils.timezone import now
from django.utils.translation import gettext as _

from annotation import discovery
from annotation.flow.data import dataset_removal
from annotation.flow.people import consent
from annotation.flow.projects import api_tokens, audit_log_table, overview, projects
from annotation.flow.projects.overview import BatchProgress
from annotation.forms.account import TokenForm
from annotation.forms.projects import NewProjectForm, ProjectForm
from annotation.forms.setting_fields import FilterForm
from annotation.models import ApiToken, BatchReport, Project, clock
from annotation.operations.downloads import CSV, logged_download
from annotation.pure.people import roles
from annotation.views import next_steps
from annotation.views.access import (
    Request,
    member_action,
    member_form,
    member_page,
    member_required,
    requester_page,
    require_get_or_post,
)
from annotation.views.data.lineage import family_of
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


SHOWN = 100


@member_form(roles.SEE)
def tokens(request: Request, project: Project) -> HttpResponse:
    """The viewer's tokens that are valid here; POST creates one, whose text is shown only once."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    address = request.build_absolute_uri(reverse("api-project", args=[project.slug]))
    context = {"project": project, "section": "settings", "form": form, "address": address}
    if form.is_bound and form.is_valid():
        terms = {"scope": form.cleaned_data["scope"], "note": form.cleaned_data["note"], "expires_at": form.ends()}
        made, text = api_tokens.make(request.user, project=project, **terms)
        return render(request, "people/api_token.html", context | {"token": made, "text": text})
    rows = _own(request, project).order_by(F("revoked_at").asc(nulls_first=True), "-created_at")[:SHOWN]
    now = clock.now()
    context["tokens"] = [(row, _state(row, now)) for row in rows]
    return render(request, "people/api_tokens.html", context, status=422 if form.errors else 200)


def _own(request: Request, project: Project) -> Any:
    return ApiToken.objects.filter(Q(project=project) | Q(project=None), user=request.user)


def _state(row: ApiToken, now: Any) -> str:
    if row.revoked_at:
        return "revoked"
    return "over" if row.expires_at and row.expires_at <= now else "good"


@member_action(roles.SEE)
def token_revoke(request: Request, project: Project, pk: int) -> HttpResponse:
    """Revoke one of the viewer's tokens."""
    api_tokens.revoke(get_object_or_404(_own(request, project), pk=pk))
    messages.success(request, _("The token is revoked. Scripts that use it are refused from now on."))
    return see_other("tokens", project.slug)


@requester_page
def log(request: HttpRequest, project: Project) -> HttpResponse:
    """The log, filtered by person, action, object, batch and days."""
    wanted = audit_log_table.LogFilter.of(request.GET)
    page = wanted.page(audit_log_table.entries(project, wanted), request.GET)
    context = {
        "project": project,
        "section": "log",
        "filters": FilterForm(wanted, **audit_log_table.choices(project)),
        "page": page,
        "rows": audit_log_table.display_rows(project, page),
    }
    return render(request, "projects/log.html", context)


@requester_page
def log_file(request: HttpRequest, project: Project) -> HttpResponseBase:
    """The filtered lines as a file."""
    some = audit_log_table.as_csv(project, audit_log_table.LogFilter.of(request.GET))
    return logged_download(request, project, some, name=f"{project.slug}-log.csv", kind=CSV)
