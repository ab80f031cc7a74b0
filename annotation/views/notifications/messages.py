"""Messages between requesters and workers."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from annotation.flow.notifications import worker_messages
from annotation.forms.sign_up import MessageForm, ReplyForm
from annotation.models import Assignment, Project
from annotation.pure.people import roles
from annotation.views.access import Request, member_form, member_page, own_assignment, signed_in_form
from annotation.views.post_handling import refusal_as_message, see_other
from annotation.views.work.worker_home import worker_tabs


@member_page(roles.PEOPLE)
def message_list(request: Request, project: Project) -> HttpResponse:
    """The project's conversations, latest first; with ?show=new only conversations with unread messages."""
    show = "new" if request.GET.get("show") == "new" else "all"
    page = Paginator(worker_messages.threads(project, unread=show == "new"), 50).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "people",
        "page": page,
        "threads": worker_messages.load_threads(page),
        "show": show,
        "new": worker_messages.unread_of(project).count(),
    }
    return render(request, "notifications/messages.html", context)


@member_form(roles.REVIEW)
def thread(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Messages about one assignment; POST replies, or only marks them as read."""
    rows = Assignment.objects.select_related("worker__project", "batch", "hit__item").defer("hit__payload", "draft")
    row = get_object_or_404(rows, public_id=public_id, worker__project=project)
    form = ReplyForm(request.POST if request.method == "POST" else None)
    if "read" in request.POST or form.is_valid():
        worker_messages.read_about(row, from_worker=True)
        if form.is_valid():
            worker_messages.send(row.worker, "", form.cleaned_data["text"], author=request.user, assignment=row)
            messages.success(request, _("Sent."))
        return see_other("thread", project.slug, public_id)
    context = {"project": project, "section": "people", "assignment": row, "thread": list(worker_messages.about(row))}
    return _page(request, "notifications/assignment_messages.html", context, form)


@member_form(roles.PEOPLE)
def worker_thread(request: Request, project: Project, pk: int) -> HttpResponse:
    """All messages with one worker; POST sends one, or only marks theirs as read."""
    worker = get_object_or_404(project.workers.select_related("project", "user"), pk=min(pk, 2**62))
    form = MessageForm(request.POST if request.method == "POST" else None)
    if "read" in request.POST or form.is_valid():
        worker_messages.read(worker, from_worker=True)
        if form.is_valid():
            worker_messages.send(worker, form.cleaned_data["subject"], form.cleaned_data["text"], author=request.user)
            messages.success(request, _("Sent."))
        return see_other("worker-messages", project.slug, worker.pk)
    page = Paginator(worker_messages.messages_of(worker), 50).get_page(request.GET.get("page"))
    context = {"project": project, "section": "people", "worker": worker, "page": page}
    return _page(request, "notifications/worker_messages.html", context, form)


@signed_in_form
def my_thread(request: Request, public_id: str) -> HttpResponse:
    """The worker's page of messages about their assignment; POST sends one to the requesters."""
    row = own_assignment(request, public_id)
    form = ReplyForm(request.POST if request.method == "POST" else None)
    if "read" in request.POST or form.is_valid():
        worker_messages.read_about(row, from_worker=False)
        with refusal_as_message(request, messages.warning):
            if form.is_valid():
                worker_messages.ask(row.worker, "", form.cleaned_data["text"], assignment=row)
                messages.success(request, _("Sent."))
        return see_other("my-thread", public_id)
    context = {"assignment": row, "thread": list(worker_messages.about(row)), **worker_tabs(request, "my-messages")}
    return _page(request, "notifications/my_assignment_messages.html", context, form)


def _page(request: Request, template: str, context: dict[str, Any], form: Any) -> HttpResponse:
    return render(request, template, context | {"form": form}, status=422 if form.is_bound else 200)
