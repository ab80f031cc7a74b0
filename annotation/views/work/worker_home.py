"""The worker's home: open work, submitted work, returned work."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.flow.notifications import worker_messages
from annotation.flow.people import round_attempts, round_results
from annotation.flow.review import review_decisions
from annotation.flow.work import eligibility, open_work
from annotation.models import Approval, Assignment, Batch, Feedback, Worker
from annotation.pure.batches import lifecycle
from annotation.registry import task_type
from annotation.views.access import open_batch, signed_in_page
from annotation.views.work.task_frame import participation_of
from annotation.views.work.worker_status import worker_tabs


@signed_in_page
def work(request: HttpRequest) -> HttpResponse:
    """Every batch that the viewer may see in their projects, with what is left for them."""
    workers = list(request.user.workers.select_related("project").filter(active=True, project__removed_at=None))
    offers = [offer for worker in workers for offer in eligibility.offers(worker)]
    waiting = [w.project for w in workers if not w.consented]
    returned = _own_assignments(request).filter(state__in=[lifecycle.RETURNED, lifecycle.EXPIRED], draft__isnull=False)
    context = {
        **worker_tabs(request, "work"),
        "batches": [row(offer.worker, offer.batch) for offer in offers if not offer.missing],
        "rest": [offer for offer in offers if offer.missing],
        "consent_waiting": waiting,
        "returned": returned.filter(batch__state=Batch.State.OPEN).order_by("-ended_at")[:20],
        "repairs": review_decisions.to_repair(**_own(request)).select_related("assignment__batch__project"),
        "feedback": Feedback.objects.waiting().filter(**_own(request)).select_related("batch").order_by("pk"),
        "submitted": _own_assignments(request).filter(state=lifecycle.SUBMITTED).count(),
    }
    return render(request, "work/home.html", context)


def _own_assignments(request: HttpRequest) -> QuerySet[Assignment]:
    return Assignment.objects.filter(**_own(request)).select_related("batch")


def _own(request: HttpRequest) -> dict[str, Any]:
    """The viewer's assignments, without those of deleted projects."""
    return {"worker__user": request.user, "worker__project__removed_at": None}


def row(worker: Worker, batch: Batch) -> dict[str, Any]:
    """A row of the worker's list: {"batch", "done", "left", "total", "under_way", "minutes", "rewards"}."""
    participation = participation_of(worker, batch)
    under_way = Assignment.objects.filter(batch=batch, worker=worker, state=lifecycle.ACCEPTED).first()
    left = (under_way is not None) + open_work.left(participation)
    return {
        "batch": batch,
        "done": participation.done,
        "under_way": under_way,
        "left": left,
        "total": min(open_work.offered(participation), participation.done + left) if left < 1000 else batch.size,
        "minutes": max(1, round(batch.expected_seconds / 60)),
        "rewards": eligibility.rewards_of(batch),
    }


@signed_in_page
def batch_done(request: HttpRequest, pk: int) -> HttpResponse:
    """No HITs are left for the viewer in this batch now, and why."""
    batch, worker = open_batch(request, pk)
    reason = open_work.obstacle(worker, batch)
    missing = eligibility.missing(worker, batch) if reason == "unqualified" else []
    found = round_attempts.round_of(batch)
    outcome = round_results.standing(worker, found) if found else None
    context = {"batch": batch, "reason": reason, "missing": missing, "outcome": outcome, **row(worker, batch)}
    return render(request, "work/done.html", context)


@signed_in_page
def history(request: HttpRequest) -> HttpResponse:
    """What the viewer submitted, and the decisions on it, newest first; open batches can still be changed."""
    rows = _own_assignments(request).filter(state=lifecycle.SUBMITTED).select_related("hit__item")
    decided = Prefetch("approvals", Approval.objects.order_by("-pk"), to_attr="decided")
    written = worker_messages.counted(rows.order_by("-submitted_at"))
    page = Paginator(written.prefetch_related(decided), 50).get_page(request.GET.get("page"))
    returned = review_decisions.to_repair(worker__user=request.user).filter(assignment__in=[row.pk for row in page])
    for row in page:
        row.heading = _heading(row)
    context = {"page": page, "returned": {review.assignment_id: review for review in returned}}
    return render(request, "work/history.html", context | worker_tabs(request, "history"))


def _heading(row: Assignment) -> str:
    """The title of an assignment in a list: its question, or the first hop's; for the MTurk API its title."""
    if not task_type(row.batch.task).launched:
        return row.batch.title
    payload = row.hit.payload
    hops = payload.get("hops")
    return str(payload.get("question") or (hops[0]["question"] if hops else row.public_id))
