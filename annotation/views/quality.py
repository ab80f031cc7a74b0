"""One worker in one batch: how good their answers are as time goes on, and whether they may go on."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import attempts, checking, grading
from annotation.models import Assignment, Batch, Project, Seat
from annotation.pure import roles
from annotation.pure.trend import trend
from annotation.views.access import member_required
from annotation.views.batch_page import batch_context, batch_of
from annotation.views.seeing import see

CHECKS, ROUND, OTHERS = "checks", "round", "others"


def _seat(batch: Batch, worker: int) -> Seat:
    """The worker's seat; 404 for whoever never sat down."""
    seats = Seat.objects.select_related("worker__project")
    return get_object_or_404(seats, batch=batch, worker__in=batch.project.workers.filter(pk=min(worker, 2**62)))


@never_cache
@require_safe
@member_required(roles.SEE)
def batch_worker(request: HttpRequest, project: Project, batch: str, worker: int) -> HttpResponse:
    """Their running mean: of hidden gold, of a round's grades, or else of agreement with the others."""
    shown = batch_of(project, batch)
    seat = _seat(shown, worker)
    checks = list(checking.graded(shown, worker).select_related("hit__item").defer("hit__payload", "draft"))
    source, grades = _grades(shown, worker, checks)
    context = batch_context(
        shown,
        "batch-workers",
        leaf=seat.worker.pseudonym,
        seat=seat,
        source=source,
        trend=trend(grades) if grades else None,
        last=grades and sum(grades) / len(grades),
        checks=checks,
        rule=checking.read_rule(shown.check_rule) if shown.check_share else None,
        told=list(checking.warnings_of(shown, worker).order_by("created_at")),
    )
    return render(request, "rounds/worker.html", context)


def _grades(batch: Batch, worker: int, checks: list[Assignment]) -> tuple[str, list[float]]:
    if batch.check_share:
        return CHECKS, [row.grade for row in checks if row.grade is not None]
    if attempts.round_of(batch) is not None:
        rows = batch.assignments.submitted().filter(worker=worker, grade__isnull=False)
        return ROUND, list(rows.order_by("submitted_at", "pk").values_list("grade", flat=True))
    return OTHERS, grading.agreements(batch, worker)


@require_POST
@member_required(roles.PEOPLE)
def batch_worker_resume(request: HttpRequest, project: Project, batch: str, worker: int) -> HttpResponse:
    """Let a worker whom the rule stopped go on, with a word to them."""
    shown = batch_of(project, batch)
    if checking.let_go_on(_seat(shown, worker), text=request.POST.get("text", "")[:5000].replace("\0", "")):
        messages.success(request, _("They can go on, and read your words before their next item."))
    else:
        messages.warning(request, _("They were not paused (any more)."))
    return see("batch-worker", project.slug, shown.slug, worker)
