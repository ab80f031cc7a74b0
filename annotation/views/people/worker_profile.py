"""A worker: quality, speed, pay, messages; one batch of theirs over time; erasing their personal data."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from annotation.flow.batches import hidden_gold
from annotation.flow.errors import Refused
from annotation.flow.money import wages
from annotation.flow.notifications import worker_messages
from annotation.flow.people import qualification_types, round_attempts, sign_up, worker_erasure, worker_profile
from annotation.flow.work import grading
from annotation.models import Assignment, Batch, Participation, Project, Worker
from annotation.pure.people import roles
from annotation.pure.reports.charts import Bars, trend
from annotation.views.access import member_action, member_form, member_page
from annotation.views.batches.batch_page import batch_context
from annotation.views.post_handling import see_other

MESSAGES = 3


def worker_of(project: Project, pk: int) -> Worker:
    """The worker in the project; 404 otherwise."""
    worker = get_object_or_404(project.workers.select_related("user", "block"), pk=min(pk, 2**62))
    worker.project = project
    return worker


@member_page(roles.SEE)
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
        "earned": wages.earnings(worker),
        "paid": worker.payments.exists() or worker.assignments.filter(auto_approve_at__isnull=False).exists(),
        "held": _held(worker),
        "thread": list(worker_messages.messages_of(worker)[:MESSAGES]),
        "unread": worker_messages.unread_from_workers(worker=worker).count(),
        "latest": worker_profile.latest(worker),
    }
    return render(request, "people/worker.html", context)


def _shown(source: str, values: list[float]) -> dict[str, Any]:
    """A row of quality figures: their source, chart and mean."""
    return {"source": source, "trend": trend(values, _), "mean": sum(values) / len(values) if values else None}


def _chart(worker: Worker) -> Bars | None:
    days = [(date_format(day, "MONTH_DAY_FORMAT"), count) for day, count in worker_profile.by_day(worker)]
    return Bars.of(days, _("Responses per day over %(n)s days from %(first)s")) if days else None


def _held(worker: Worker) -> list[tuple[Any, int]]:
    held = qualification_types.held(worker)
    types = [type for type in qualification_types.types_of(worker.project) if type.public_id in held]
    return [(type, held[type.public_id].value) for type in types]


@member_action(roles.PEOPLE)
def annotator_act(request: HttpRequest, project: Project, pk: int, act: str) -> HttpResponse:
    """Deactivate or activate a worker, block with a reason, unblock."""
    worker = worker_of(project, pk)
    if act == "block":
        reason = request.POST.get("reason", "").replace("\0", "").strip()[:1000]
        if not reason:
            text = _("Nothing was changed. Give a reason for the other requesters; the worker does not see it.")
            messages.error(request, text)
            return see_other("annotator", project.slug, worker.pk)
        qualification_types.block(worker, reason)
    elif act == "unblock":
        qualification_types.unblock(worker)
    else:
        sign_up.set_active(worker, active=act == "resume")
    done = {
        "block": _("They get no more work in this project. Their responses stay and are paid as usual."),
        "unblock": _("They can accept assignments again."),
        "resume": _("They can accept assignments again."),
        "pause": _("They get no more assignments until you reactivate them."),
    }
    messages.success(request, done[act])
    return see_other("annotator", project.slug, worker.pk)


CHECKS, ROUND, OTHERS = "checks", "round", "others"


def _participation(batch: Batch, worker: int) -> Participation:
    """The worker's participation; 404 if they have none."""
    rows = Participation.objects.select_related("worker__project")
    return get_object_or_404(rows, batch=batch, worker__in=batch.project.workers.filter(pk=min(worker, 2**62)))


@member_page(roles.SEE)
def batch_worker(request: HttpRequest, project: Project, batch: Batch, worker: int) -> HttpResponse:
    """Running mean of hidden gold, of grades in a round, or else of agreement with the others."""
    participation = _participation(batch, worker)
    checks = list(hidden_gold.graded(batch, worker).select_related("hit__item").defer("hit__payload", "draft"))
    source, grades = _grades(batch, worker, checks)
    context = batch_context(
        batch,
        "batch-workers",
        leaf=participation.worker.pseudonym,
        participation=participation,
        source=source,
        trend=trend(grades, _),
        last=grades and sum(grades) / len(grades),
        checks=checks,
        rule=hidden_gold.read_rule(batch.check_rule) if batch.check_share else None,
        warnings=list(hidden_gold.warnings_of(batch, worker).order_by("created_at")),
    )
    return render(request, "people/worker_in_batch.html", context)


def _grades(batch: Batch, worker: int, checks: list[Assignment]) -> tuple[str, list[float]]:
    if batch.check_share:
        return CHECKS, [row.grade for row in checks if row.grade is not None]
    if round_attempts.round_of(batch) is not None:
        rows = batch.assignments.submitted().filter(worker=worker).order_by("submitted_at", "pk")
        return ROUND, [grade for grade in rows.values_list("grade", flat=True) if grade is not None]
    return OTHERS, grading.agreements(batch, worker)


@member_action(roles.PEOPLE)
def batch_worker_resume(request: HttpRequest, project: Project, batch: Batch, worker: int) -> HttpResponse:
    """Let a worker paused by the hidden gold rule continue, with a message."""
    if hidden_gold.let_go_on(_participation(batch, worker), text=request.POST.get("text", "")[:5000].replace("\0", "")):
        messages.success(request, _("They can continue, and will see your message before their next item."))
    else:
        messages.warning(request, _("They were not paused, or are not any more."))
    return see_other("batch-worker", project.slug, batch.slug, worker)


@member_form(roles.OWN)
def worker_erase(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """A preview of a worker's erasure; POST erases the worker if the typed pseudonym matches."""
    worker = get_object_or_404(Worker.objects.select_related("user"), project=project, pk=pk)
    worker.project = project
    problem = ""
    if request.method == "POST" and request.POST.get("pseudonym", "").strip() == worker.pseudonym:
        try:
            worker_erasure.erase_worker(worker)
        except Refused as refusal:
            problem = str(refusal)
        else:
            messages.success(request, _("Their identity was erased. Their responses stay, under the pseudonym."))
            return see_other("people", project.slug)
    elif request.method == "POST":
        problem = _("Type the pseudonym exactly as shown above.")
    context = {"project": project, "section": "people", "worker": worker, "problem": problem}
    return render(request, "people/erase_worker.html", context, status=422 if problem else 200)
