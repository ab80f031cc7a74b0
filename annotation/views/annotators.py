"""A worker's page: quality, speed, submissions, pay, qualifications, letters and a sample of their work."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import appraising, earnings, joining, messaging, qualifying
from annotation.models import Project, Worker
from annotation.pure import roles
from annotation.pure.charts import Chart, bar_chart
from annotation.pure.trend import Trend, trend
from annotation.views.access import member_required
from annotation.views.seeing import see

LETTERS = 3


def worker_of(project: Project, pk: int) -> Worker:
    """The worker in the project; 404 otherwise."""
    worker = get_object_or_404(project.workers.select_related("user", "block"), pk=min(pk, 2**62))
    worker.project = project
    return worker


@never_cache
@require_safe
@member_required(roles.SEE)
def annotator(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """One worker over all batches of the project."""
    worker = worker_of(project, pk)
    grades, agreements = appraising.grades(worker), appraising.agreements(worker)
    context = {
        "project": project,
        "section": "people",
        "worker": worker,
        "quality": [_shown("grades", grades), _shown("agreement", agreements)],
        "batches": appraising.by_batch(worker),
        "chart": _chart(worker),
        "earned": earnings.earnings(worker),
        "paid": worker.payments.exists() or worker.assignments.filter(auto_approve_at__isnull=False).exists(),
        "held": _held(worker),
        "letters": list(messaging.of(worker)[:LETTERS]),
        "unread": messaging.unread_by_requesters(worker).count(),
        "latest": appraising.latest(worker),
    }
    return render(request, "people/annotator.html", context)


def _shown(source: str, values: list[float]) -> dict[str, Any]:
    """A line of quality: where it comes from, its chart, and the mean over all."""
    drawn: Trend | None = trend(values) if values else None
    return {"source": source, "trend": drawn, "mean": sum(values) / len(values) if values else None}


def _chart(worker: Worker) -> Chart | None:
    days = appraising.by_day(worker)
    return bar_chart([(date_format(day, "j M"), count) for day, count in days]) if days else None


def _held(worker: Worker) -> list[tuple[Any, int]]:
    held = qualifying.held(worker)
    return [
        (type, held[type.public_id].value) for type in qualifying.types_of(worker.project) if type.public_id in held
    ]


@require_POST
@member_required(roles.PEOPLE)
def annotator_act(request: HttpRequest, project: Project, pk: int, act: str) -> HttpResponse:
    """Let a worker work or not: stop and go on, block with a reason and unblock."""
    worker = worker_of(project, pk)
    if act == "block":
        reason = request.POST.get("reason", "").replace("\0", "").strip()[:1000]
        if not reason:
            messages.error(
                request, _("Nothing was changed: say why, for the other requesters; the worker never sees it.")
            )
            return see("annotator", project.slug, worker.pk)
        qualifying.block(worker, reason)
        messages.success(
            request, _("They get no more work of this project. What they submitted stays and is paid as ever.")
        )
    elif act == "unblock":
        qualifying.unblock(worker)
        messages.success(request, _("They can take assignments again."))
    else:
        joining.set_active(worker, active=act == "resume")
        said = {
            "resume": _("They can take assignments again."),
            "pause": _("They get no more assignments until you let them."),
        }
        messages.success(request, said[act])
    return see("annotator", project.slug, worker.pk)
