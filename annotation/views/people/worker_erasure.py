"""Erasing a worker's personal data at their request."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from annotation.flow.errors import Refused
from annotation.flow.people import worker_erasure
from annotation.models import Project, Worker
from annotation.pure.people import roles
from annotation.views.access import member_required, require_get_or_post
from annotation.views.redirects import see


@never_cache
@require_get_or_post
@member_required(roles.OWN)
def worker_erase(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """What is erased and what stays; POST erases, once the owner typed the pseudonym."""
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
            return see("people", project.slug)
    elif request.method == "POST":
        problem = _("Type the pseudonym exactly as shown above.")
    context = {"project": project, "section": "people", "worker": worker, "problem": problem}
    return render(request, "people/erase_worker.html", context, status=422 if problem else 200)
