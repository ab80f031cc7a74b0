"""A worker's page: quality, speed, submissions, pay, qualifications, messages, sample responses."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow.money import earnings
from annotation.flow.notifications import worker_messages
from annotation.flow.people import qualification_types, sign_up, worker_profile
from annotation.models import Project, Worker
from annotation.pure.people import roles
from annotation.pure.reports.charts import Chart, bar_chart
from annotation.pure.reports.quality_trend import Trend, trend
from annotation.views.access import member_required
from annotation.views.redirects import see

MESSAGES = 3


def worker_of(project: Project, pk: int) -> Worker:
    """The worker in the project; 404 otherwise."""
    worker = get_object_or_404(project.workers.select_related("user", "block"), pk=min(pk, 2**62))
    worker.project = project
    return worker


@never_cache
@require_safe
@member_required(roles.SEE)
def annotator(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """A worker over all batches of the project."""
    worker = worker_of(project, pk)
    grades, agreements = worker_profile.grades(worker), worker_profile.agreements(worker)
    context = {
        "project": project,
        "section": "people",
        "worker": worker,
        "quality": [_shown("grades", grades), _shown("agreement", agreements)],
        "batches": worker_profile.by_batch(worker),
        "chart": _chart(worker),
        "earned": earnings.earnings(worker),
        "paid": worker.payments.exists() or worker.assignments.filter(auto_approve_at__isnull=False).exists(),
        "held": _held(worker),
        "thread": list(worker_messages.of(worker)[:MESSAGES]),
        "unread": worker_messages.unread_by_requesters(worker).count(),
        "latest": worker_profile.latest(worker),
    }
    return render(request, "people/worker.html", context)


def _shown(source: str, values: list[float]) -> dict[str, Any]:
    """A row of quality figures: their source, chart and mean."""
    drawn: Trend | None = trend(values) if values else None
    return {"source": source, "trend": drawn, "mean": sum(values) / len(values) if values else None}


def _chart(worker: Worker) -> Chart | None:
    days = worker_profile.by_day(worker)
    return bar_chart([(date_format(day, "j M"), count) for day, count in days]) if days else None


def _held(worker: Worker) -> list[tuple[Any, int]]:
    held = qualification_types.held(worker)
    return [
        (type, held[type.public_id].value)
        for type in qualification_types.types_of(worker.project)
        if type.public_id in held
    ]


@require_POST
@member_required(roles.PEOPLE)
def annotator_act(request: HttpRequest, project: Project, pk: int, act: str) -> HttpResponse:
    """Deactivate or activate a worker, block with a reason, unblock."""
    worker = worker_of(project, pk)
    if act == "block":
        reason = request.POST.get("reason", "").replace("\0", "").strip()[:1000]
        if not reason:
            messages.error(
                request, _("Nothing was changed. Give a reason for the other requesters; the worker does not see it.")
            )
            return see("annotator", project.slug, worker.pk)
        qualification_types.block(worker, reason)
        messages.success(
            request, _("They get no more work in this project. Their responses stay and are paid as usual.")
        )
    elif act == "unblock":
        qualification_types.unblock(worker)
        messages.success(request, _("They can accept assignments again."))
    else:
        sign_up.set_active(worker, active=act == "resume")
        said = {
            "resume": _("They can accept assignments again."),
            "pause": _("They get no more assignments until you let them continue."),
        }
        messages.success(request, said[act])
    return see("annotator", project.slug, worker.pk)
