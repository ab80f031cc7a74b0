"""The annotator's home: what is open to them, what they did, what they gave back."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.flow import assigning, reviewing
from annotation.models import Assignment, Batch, Feedback, Seat, Worker
from annotation.pure import lifecycle
from annotation.views.access import open_batch


@never_cache
@require_safe
@login_required
def work(request: HttpRequest) -> HttpResponse:
    """Every batch that the viewer may see in their projects, with what is left of it for them."""
    workers = list(request.user.workers.select_related("project").filter(active=True))
    batches = [row for worker in workers for row in _batches(worker)]
    waiting = [w.project for w in workers if not w.consented]
    returned = _mine(request).filter(state__in=[lifecycle.RETURNED, lifecycle.EXPIRED], draft__isnull=False)
    context = {
        "batches": batches,
        "consent_waiting": waiting,
        "returned": returned.filter(batch__state=Batch.State.OPEN).order_by("-ended_at")[:20],
        "repairs": reviewing.to_repair(worker__user=request.user).select_related("assignment__batch__project"),
        "feedback": Feedback.objects.waiting().filter(worker__user=request.user).select_related("batch").order_by("pk"),
        "submitted": _mine(request).filter(state=lifecycle.SUBMITTED).count(),
    }
    return render(request, "work/home.html", context)


def _mine(request: HttpRequest) -> QuerySet[Assignment]:
    return Assignment.objects.filter(worker__user=request.user).select_related("batch")


def _batches(worker: Worker) -> list[dict[str, Any]]:
    shown = worker.project.batches.filter(state__in=[Batch.State.OPEN, Batch.State.PAUSED])
    chosen = [b for b in shown.order_by("-launched_at") if assigning.obstacle(worker, b) != "not_chosen"]
    return [row(worker, batch) for batch in chosen]


def row(worker: Worker, batch: Batch) -> dict[str, Any]:
    """A batch as its worker's list shows it: {"batch", "done", "left", "total", "under_way", "minutes"}."""
    seat = Seat.objects.filter(batch=batch, worker=worker).first() or Seat(batch=batch, worker=worker)
    under_way = Assignment.objects.filter(batch=batch, worker=worker, state=lifecycle.ACCEPTED).first()
    left = (under_way is not None) + assigning.left(seat)
    return {
        "batch": batch,
        "done": seat.done,
        "under_way": under_way,
        "left": left,
        "total": min(batch.size, seat.done + left) if left < 1000 else batch.size,
        "minutes": max(1, round(batch.expected_seconds / 60)),
    }


@never_cache
@require_safe
@login_required
def batch_done(request: HttpRequest, pk: int) -> HttpResponse:
    """Nothing is left for the viewer in this batch right now, and why."""
    batch, worker = open_batch(request, pk)
    reason = assigning.obstacle(worker, batch)
    return render(request, "work/done.html", {"batch": batch, "reason": reason, **row(worker, batch)})


@never_cache
@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    """What the viewer submitted, newest first; open batches can still be changed."""
    rows = _mine(request).filter(state=lifecycle.SUBMITTED).select_related("hit__item")
    page = Paginator(rows.order_by("-submitted_at"), 50).get_page(request.GET.get("page"))
    return render(request, "work/history.html", {"page": page})
