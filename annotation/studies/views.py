"""Pages of studies: the list, and one study with its runs beside what the paper prints."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.forms.projects import ConsoleForm
from annotation.forms.setting_fields import form_field
from annotation.models import Project
from annotation.pure.people import roles
from annotation.pure.people.consent_text import is_unfinished
from annotation.pure.reports.explanations import chapter
from annotation.studies import analysis, folders, jobs, plans, report
from annotation.studies.launch import STUDY_SETTINGS, batches_of, begin, experiment_of, free_name
from annotation.studies.models import StudyRun
from annotation.views.access import Request, member_action, member_form, member_page
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.markdown_html import html_of
from annotation.views.post_handling import refusal_in_form, see_other
from annotation.views.reports.experiments import shown_balance
from annotation.views.reports.figure_notes import FigureNotes, rows_of_batches
from annotation.views.reports.report_tables import shown_table


class StudyLaunchForm(ConsoleForm):
    """How to launch a study; `contact` and `ethics` while the project's consent text has a place for them."""

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        left_out = set() if is_unfinished(project.consent) else {"contact", "ethics"}
        self.fields |= {name: form_field(one) for name, one in STUDY_SETTINGS.items() if name not in left_out}


@member_page(roles.SEE)
def studies(request: Request, project: Project) -> HttpResponse:
    """Every study of this installation, and the runs in this project."""
    runs = list(StudyRun.objects.filter(project=project).order_by("-pk"))
    context: dict[str, Any] = {"project": project, "section": "batches"}
    context["breadcrumbs"] = section_breadcrumbs(project, "batches", _("Studies"))
    try:
        context["rows"] = [_listed(name, [run for run in runs if run.study == name]) for name in folders.names()]
    except Refused as lacking:
        context["lacking"] = str(lacking)
    return render(request, "studies/studies.html", context)


def _listed(name: str, runs: list[StudyRun]) -> dict[str, Any]:
    try:
        found = folders.read(name).definition
    except Refused as broken:
        return {"name": name, "broken": str(broken), "runs": runs}
    return {"name": name, "title": found.title, "paper": found.paper, "protocol": found.protocol, "runs": runs}


@member_form(roles.SEE, posting=roles.RUN)
def study(request: Request, project: Project, name: str) -> HttpResponse:
    """One study: what the paper did, its figures beside each run's, and the form that launches it."""
    try:
        folder = folders.read(name)
    except Refused as broken:
        raise Http404(str(broken)) from None
    posted = request.POST if request.method == "POST" else None
    form = StudyLaunchForm(posted, initial={"run": free_name(project, name)}, project=project)
    if form.is_valid():
        with refusal_in_form(form):
            run = begin(project, folder, form.cleaned_data, user=request.user)
            return see_other("job", project.slug, jobs.enqueue(run, user=request.user).public_id)
    breadcrumbs = section_breadcrumbs(project, "batches", _("Studies"))
    breadcrumbs[-1]["url"] = reverse("studies", args=[project.slug])
    context = {
        "project": project,
        "section": "batches",
        "breadcrumbs": [*breadcrumbs, {"label": folder.definition.title, "url": ""}],
        "study": folder.definition,
        "readme": html_of(folder.readme.partition("\n")[2]),
        "wanted": [(data, folder.wanted_file(data).exists()) for data in folder.definition.data],
        "published": [_shown(report.published_row(row)) for row in folder.published],
        "runs": [_run(request, run) for run in StudyRun.objects.filter(project=project, study=name).order_by("-pk")],
        "plan": plans.lines(plans.as_json(plans.of_study(folder.definition), plans.wage_of(project))),
        "form": form,
    }
    return render(request, "studies/study.html", context, status=422 if form.errors else 200)


@member_action(roles.SEE)
def scores(request: Request, project: Project, name: str, run: str) -> HttpResponse:
    """Start the job that computes what a run says of all its batches; before all responses are in, that is logged."""
    found = get_object_or_404(StudyRun, project=project, study=name, slug=run)
    return see_other("job", project.slug, jobs.enqueue_analysis(found, user=request.user).public_id)


def _run(request: Request, run: StudyRun) -> dict[str, Any]:
    rows, batches = report.compute(run), batches_of(run)
    explained = FigureNotes(
        (chapter("studies"),), lambda _kind, _study: rows_of_batches(batches), prefix=f"{run.slug}-"
    )
    context: dict[str, Any] = {"run": run, "batches": batches, "rows": [_shown(row) for row in rows]}
    context["why"] = explained.of_figure("published", "published")
    context["notes"] = report.notes(rows)
    context["plan"] = plans.lines(plans.as_json(plans.of_run(run), plans.wage_of(run.project)))
    context["can_score"] = any(row["ours"] and row["note"] for row in rows)
    if experiment := experiment_of(run):
        context["balance"] = shown_balance(request, experiment)
    if run.definition.analysis:
        found = analysis.current(run)
        context["tables"] = [shown_table(table, notes=explained) for table in found["tables"]] if found else []
        context["problem"] = analysis.problem(run)
        context["can_score"] |= not found and not analysis.problem(run, look=True)
    return context


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the report, with its figures as text."""
    unit = row["unit"]
    texts = {"paper_text": report.bounded(row)}
    if own := row.get("ours"):
        apart = row["difference"]
        texts |= {
            "own_text": report.shown(own["value"], unit),
            "interval": report.interval(own, unit),
            "difference_text": report.shown_difference(apart["value"], unit),
            "difference_interval": report.interval(apart, unit, signed=True),
            "conclusion_text": report.concluded(row),
        }
    return row | texts
