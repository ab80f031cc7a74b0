"""The worker's standing: qualifications, requests, earnings, messages, and what they say of themselves."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import earnings, eligibility, joining, messaging, mturk_ids, qualifying
from annotation.flow.refusal import Refused
from annotation.forms import DetailsForm, LetterForm
from annotation.models import Message, QualificationRequest, QualificationType, Worker
from annotation.views.access import require_get_or_post
from annotation.views.accounts import safe_next
from annotation.views.seeing import see


def workers_of(request: HttpRequest) -> list[Worker]:
    """The viewer in each of the projects in which they take part."""
    there = request.user.workers.filter(active=True, project__removed_at=None)
    return list(there.select_related("project").order_by("project__title"))


def own_worker(request: HttpRequest, slug: str) -> Worker:
    """The viewer in the project of that name; 404 where they are not in it."""
    rows = Worker.objects.select_related("project").filter(project__removed_at=None)
    return get_object_or_404(rows, project__slug=slug, user=request.user)


def places(request: HttpRequest, here: str) -> dict[str, Any]:
    """What templates/work/_places.html shows: which page this is, and how many messages are new."""
    new = Message.objects.filter(worker__user=request.user, from_worker=False, read_at__isnull=True)
    return {"here": here, "letters_new": new.filter(worker__project__removed_at=None).count()}


@never_cache
@require_safe
@login_required
def my_qualifications(request: HttpRequest) -> HttpResponse:
    """What the viewer holds, asked for, and may ask for, by project."""
    standing = [_standing(worker) for worker in workers_of(request)]
    return render(request, "work/qualifications.html", {"projects": standing, **places(request, "my-qualifications")})


def _standing(worker: Worker) -> dict[str, Any]:
    types = {type.public_id: type for type in qualifying.types_of(worker.project)}
    held = qualifying.held(worker)
    own = [(key, type) for key, type in types.items() if key in held]
    asked = QualificationRequest.objects.filter(worker=worker).exclude(state="granted").select_related("type")
    ways = [(type, eligibility.way_to(type, worker)) for key, type in types.items() if key not in held]
    return {
        "worker": worker,
        "held": [(type, held[key].value, eligibility.way_to(type, worker)) for key, type in own],
        "reckoned": eligibility.reckoned(held),
        "requests": asked.order_by("-started_at", "-pk")[:50],
        "open": [(type, way) for type, way in ways if way in ("ask", "test")],
    }


@require_POST
@login_required
def qualification_ask(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask for a qualification of a project in which the viewer takes part."""
    mine = QualificationType.objects.filter(project__workers__user=request.user, deleted_at__isnull=True)
    type = get_object_or_404(mine, public_id=public_id)
    try:
        asked = qualifying.request(type, own_worker(request, type.project.slug))
        waits = _("Asked for “%(name)s”. You see here what comes of it.")
        text = _("You have “%(name)s” now.") if asked.state == QualificationRequest.State.GRANTED else waits
        messages.success(request, text % {"name": type.name})
    except Refused as refusal:
        messages.warning(request, str(refusal))
    return HttpResponseRedirect(safe_next(request, "my-qualifications"), status=303)


def _may_claim(worker: Worker) -> bool:
    return mturk_ids.are_awaited(worker.project) and mturk_ids.may_claim(worker)


@require_POST
@login_required
def claim_mturk_id(request: HttpRequest, slug: str) -> HttpResponse:
    """The viewer names the worker ID that they had on Mechanical Turk."""
    worker, name = own_worker(request, slug), request.POST.get("mturk_id", "").strip()
    try:
        mturk_ids.claim(worker, name)
    except Refused as refused:
        context = {"form": DetailsForm.of(worker), "project": worker.project, "mturk": _may_claim(worker)}
        told = {"mturk_id": name, "mturk_problem": str(refused)}
        return render(request, "work/details.html", context | told, status=422)
    messages.success(request, _("You are known here by your worker ID now."))
    return see("my-qualifications")


@never_cache
@require_safe
@login_required
def my_earnings(request: HttpRequest) -> HttpResponse:
    """What the viewer earned, by what has become of it, by project and by batch."""
    rows = [
        {"worker": worker, "sums": earnings.earnings(worker), "batches": eligibility.earned_by_batch(worker)}
        for worker in request.user.workers.select_related("project").filter(project__removed_at=None)
    ]
    rows.sort(key=lambda row: row["worker"].project.title)
    shown = [row for row in rows if row["batches"] or row["sums"].approved]
    return render(request, "work/earnings.html", {"projects": shown, **places(request, "my-earnings")})


@never_cache
@require_safe
@login_required
def my_messages(request: HttpRequest) -> HttpResponse:
    """Both sides of the viewer's correspondence, newest first; looking does not mark it as read."""
    workers = workers_of(request)
    rows = Message.objects.filter(worker__in=workers).select_related("worker__project", "assignment__batch")
    page = Paginator(rows.order_by("-created_at", "-pk"), 50).get_page(request.GET.get("page"))
    letters = [
        {
            "project": worker.project,
            "form": LetterForm(auto_id=f"{worker.public_id}-%s"),
            "unread": messaging.unread(worker).exists(),
        }
        for worker in workers
    ]
    context = {"page": page, "letters": letters, **places(request, "my-messages")}
    return render(request, "work/messages.html", context)


@require_POST
@login_required
def message_write(request: HttpRequest, slug: str) -> HttpResponse:
    """Write to a project's requesters, or only note that their messages are read."""
    worker = own_worker(request, slug)
    form = LetterForm(request.POST)
    messaging.read(worker)
    if "read" in request.POST:
        return see("my-messages")
    if form.is_valid():
        messaging.ask(worker, form.cleaned_data["subject"], form.cleaned_data["text"])
        messages.success(request, _("Sent."))
    else:
        messages.warning(request, _("Write something before you send it."))
    return see("my-messages")


@never_cache
@require_get_or_post
@login_required
def my_details(request: HttpRequest, slug: str) -> HttpResponse:
    """What the viewer says of themselves to one project."""
    worker = own_worker(request, slug)
    form = DetailsForm(request.POST) if request.method == "POST" else DetailsForm.of(worker)
    if form.is_bound and form.is_valid():
        joining.state_details(worker, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return see("work")
    context = {"form": form, "project": worker.project, "mturk": _may_claim(worker)}
    return render(request, "work/details.html", context, status=422 if form.is_bound else 200)
