"""A worker in a batch: quality over time, and lifting a pause."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow.batches import hidden_gold
from annotation.flow.people import round_attempts
from annotation.flow.work import grading
from annotation.models import Assignment, Batch, Participation, Project
from annotation.pure.people import roles
from annotation.pure.reports.quality_trend import trend
from annotation.views.access import member_required
from annotation.views.batches.batch_page import batch_context, batch_of
from annotation.views.redirects import see

CHECKS, ROUND, OTHERS = "checks", "round", "others"


def _participation(batch: Batch, worker: int) -> Participation:
    """The worker's participation; 404 if they have none."""
    participations = Participation.objects.select_related("worker__project")
    return get_object_or_404(
        participations, batch=batch, worker__in=batch.project.workers.filter(pk=min(worker, 2**62))
    )


@never_cache
@require_safe
@member_required(roles.SEE)
def batch_worker(request: HttpRequest, project: Project, batch: str, worker: int) -> HttpResponse:
    """Running mean of hidden gold, of grades in a round, or else of agreement with the others."""
    shown = batch_of(project, batch)
    participation = _participation(shown, worker)
    checks = list(hidden_gold.graded(shown, worker).select_related("hit__item").defer("hit__payload", "draft"))
    source, grades = _grades(shown, worker, checks)
    context = batch_context(
        shown,
        "batch-workers",
        leaf=participation.worker.pseudonym,
        participation=participation,
        source=source,
        trend=trend(grades) if grades else None,
        last=grades and sum(grades) / len(grades),
        checks=checks,
        rule=hidden_gold.read_rule(shown.check_rule) if shown.check_share else None,
        told=list(hidden_gold.warnings_of(shown, worker).order_by("created_at")),
    )
    return render(request, "people/worker_in_batch.html", context)


def _grades(batch: Batch, worker: int, checks: list[Assignment]) -> tuple[str, list[float]]:
    if batch.check_share:
        return CHECKS, [row.grade for row in checks if row.grade is not None]
    if round_attempts.round_of(batch) is not None:
        rows = batch.assignments.submitted().filter(worker=worker, grade__isnull=False)
        return ROUND, list(rows.order_by("submitted_at", "pk").values_list("grade", flat=True))
    return OTHERS, grading.agreements(batch, worker)


@require_POST
@member_required(roles.PEOPLE)
def batch_worker_resume(request: HttpRequest, project: Project, batch: str, worker: int) -> HttpResponse:
    """Let a worker whom the rule paused continue, with a message."""
    shown = batch_of(project, batch)
    if hidden_gold.let_go_on(_participation(shown, worker), text=request.POST.get("text", "")[:5000].replace("\0", "")):
        messages.success(request, _("They can continue, and will see your message before their next item."))
    else:
        messages.warning(request, _("They were not paused, or are not any more."))
    return see("batch-worker", project.slug, shown.slug, worker)
