"""Letters between requesters and workers: all threads of a project, one about an assignment, and the worker's side."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.flow import messaging
from annotation.flow.refusal import Refused
from annotation.forms import LetterForm, ReplyForm
from annotation.models import Assignment, Project
from annotation.pure import roles
from annotation.views.access import member_required, own_assignment, require_get_or_post
from annotation.views.seeing import see
from annotation.views.standing import places


@never_cache
@require_safe
@member_required(roles.PEOPLE)
def letters(request: HttpRequest, project: Project) -> HttpResponse:
    """The project's correspondence, thread by thread, the newest letter first; with ?show=new what nobody read."""
    show = "new" if request.GET.get("show") == "new" else "all"
    page = Paginator(messaging.threads(project, unread=show == "new"), 50).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "people",
        "page": page,
        "threads": messaging.told(page),
        "show": show,
        "new": messaging.unread_of(project).count(),
    }
    return render(request, "people/letters.html", context)


@never_cache
@require_get_or_post
@member_required(roles.REVIEW)
def thread(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """What was written about one assignment; POST answers, or only notes that it was read."""
    rows = Assignment.objects.select_related("worker__project", "batch", "hit__item").defer("hit__payload", "draft")
    row = get_object_or_404(rows, public_id=public_id, worker__project=project)
    form = ReplyForm(request.POST if request.method == "POST" else None)
    if "read" in request.POST or form.is_valid():
        messaging.read_about(row, from_worker=True)
        if form.is_valid():
            messaging.send(row.worker, "", form.cleaned_data["text"], author=request.user, assignment=row)
            messages.success(request, _("Sent."))
        return see("thread", project.slug, public_id)
    context = {"project": project, "section": "people", "assignment": row, "letters": list(messaging.about(row))}
    return _page(request, "people/thread.html", context, form)


@never_cache
@require_get_or_post
@member_required(roles.PEOPLE)
def worker_letters(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """All letters with one worker; POST writes to them, or only notes that theirs were read."""
    worker = get_object_or_404(project.workers.select_related("project", "user"), pk=min(pk, 2**62))
    form = LetterForm(request.POST if request.method == "POST" else None)
    if "read" in request.POST or form.is_valid():
        messaging.read(worker, from_worker=True)
        if form.is_valid():
            messaging.send(worker, form.cleaned_data["subject"], form.cleaned_data["text"], author=request.user)
            messages.success(request, _("Sent."))
        return see("worker-letters", project.slug, worker.pk)
    page = Paginator(messaging.of(worker), 50).get_page(request.GET.get("page"))
    context = {"project": project, "section": "people", "worker": worker, "page": page}
    return _page(request, "people/worker_letters.html", context, form)


@never_cache
@require_get_or_post
@login_required
def my_thread(request: HttpRequest, public_id: str) -> HttpResponse:
    """The worker's side: what was written about one of their assignments; POST writes to the requesters."""
    row = own_assignment(request, public_id)
    form = ReplyForm(request.POST if request.method == "POST" else None)
    if "read" in request.POST or form.is_valid():
        messaging.read_about(row, from_worker=False)
        if form.is_valid():
            _ask(request, row, form.cleaned_data["text"])
        return see("my-thread", public_id)
    context = {"assignment": row, "letters": list(messaging.about(row)), **places(request, "my-messages")}
    return _page(request, "work/thread.html", context, form)


def _ask(request: HttpRequest, row: Assignment, text: str) -> None:
    try:
        messaging.ask(row.worker, "", text, assignment=row)
        messages.success(request, _("Sent."))
    except Refused as refusal:
        messages.warning(request, str(refusal))


def _page(request: HttpRequest, template: str, context: dict[str, Any], form: Any) -> HttpResponse:
    return render(request, template, context | {"form": form}, status=422 if form.is_bound else 200)
