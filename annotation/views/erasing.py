"""Erasing who an annotator is, when they ask the owner of a project for it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from annotation.flow import erasing
from annotation.flow.refusal import Refused
from annotation.models import Project, Worker
from annotation.pure import roles
from annotation.views.access import member_required, require_get_or_post
from annotation.views.seeing import see


@never_cache
@require_get_or_post
@member_required(roles.OWN)
def worker_erase(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """What goes and what stays; POST does it, once the owner typed the pseudonym."""
    worker = get_object_or_404(Worker.objects.select_related("user"), project=project, pk=pk)
    worker.project = project
    problem = ""
    if request.method == "POST" and request.POST.get("pseudonym", "").strip() == worker.pseudonym:
        try:
            erasing.erase_worker(worker)
        except Refused as refusal:
            problem = str(refusal)
        else:
            messages.success(request, _("Who they are is erased. What they answered stays, under the pseudonym."))
            return see("people", project.slug)
    elif request.method == "POST":
        problem = _("Type the pseudonym exactly as it stands above.")
    context = {"project": project, "section": "people", "worker": worker, "problem": problem}
    return render(request, "people/erase.html", context, status=422 if problem else 200)
