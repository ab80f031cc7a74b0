"""Problem reports, and a requester's decisions on them."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from annotation.flow.people.worker_names import name_uncomposed
from annotation.flow.review import gold_looks, problem_reports
from annotation.models import Batch, ProblemReport, Project
from annotation.pure.people import roles
from annotation.views.access import Request, member_action, member_page
from annotation.views.batches.batch_page import batch_context
from annotation.views.post_handling import refusal_as_message, see_other
from annotation.views.work.task_frame import PROBLEM_REASONS


@member_page(roles.REVIEW)
def problem_report_list(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Open problem reports, oldest first; or decided ones, newest first."""
    wanted = problem_reports.ProblemReportFilter.of(request.GET)
    wanted = wanted if wanted.query else replace(wanted, show="open")
    rows = ProblemReport.objects.filter(assignment__batch=batch)
    rows = rows.select_related("assignment__hit__item__dataset", "assignment__worker__project")
    rows = rows.defer("assignment__hit__payload", "assignment__hit__item__content", "assignment__draft")
    page = wanted.page(wanted.narrow(project, rows), request.GET)
    name_uncomposed(row.assignment.hit.item for row in page)
    hidden = gold_looks.hidden_keys([row.assignment.hit_id for row in page], request.user)
    for row in page:
        row.reason_text = reason_text(row)
        row.name_hidden = row.assignment.hit_id in hidden
    context = batch_context(batch, "problem-reports", page=page, decided=wanted.show == "decided")
    return render(request, "review/problem_reports.html", context)


def reason_text(problem_report: ProblemReport) -> str:
    """The reason as the worker read it."""
    return _(PROBLEM_REASONS.get(problem_report.reason, problem_report.reason))


def _problem_report(batch: Batch, pk: int) -> ProblemReport:
    rows = ProblemReport.objects.filter(assignment__batch=batch)
    return get_object_or_404(rows.select_related("assignment__hit"), pk=pk)


@member_action(roles.REVIEW)
def keep_report(request: Request, project: Project, batch: Batch, pk: int) -> HttpResponse:
    """Close the report and keep the HIT."""
    if not problem_reports.keep(_problem_report(batch, pk)):
        messages.warning(request, _("This problem report was decided in the meantime."))
    return see_other("problem-reports", project.slug, batch.slug)


@member_action(roles.REVIEW)
def exclude_reported_hit(request: Request, project: Project, batch: Batch, pk: int) -> HttpResponse:
    """Agree with the report and exclude the HIT, for the worker's reason."""
    problem_report = _problem_report(batch, pk)
    reason = ": ".join(part for part in (reason_text(problem_report), problem_report.text.strip()) if part)[:500]
    is_open = problem_report.state == ProblemReport.State.OPEN
    if not (is_open and problem_reports.exclude(problem_report.assignment.hit, reason=reason)):
        messages.warning(request, _("This problem report was decided in the meantime."))
    return see_other("problem-reports", project.slug, batch.slug)


@member_action(roles.REVIEW)
def reopen_report(request: Request, project: Project, batch: Batch, pk: int) -> HttpResponse:
    """Undo the decision."""
    with refusal_as_message(request):
        if problem_reports.reopen(_problem_report(batch, pk)):
            messages.success(request, _("Undone. The problem report is open again."))
    return see_other("problem-reports", project.slug, batch.slug)
