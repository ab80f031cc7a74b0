"""Who may open what. Somebody else's object does not exist."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods

from annotation.models import Assignment, Batch, Project, Worker

View = Callable[..., HttpResponse]
require_get_or_post = require_http_methods(["GET", "HEAD", "POST"])  # a page with a form


def signed_in_or_401(view: View) -> View:
    """For calls from scripts: 401 instead of a sign-in page."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return JsonResponse({"problem": "signed out"}, status=401)
        return view(request, *args, **kwargs)

    return checked


def requester_required(view: View) -> View:
    """Replace the view's `slug` by the Project, for members only."""

    @wraps(view)
    @login_required
    def checked(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponse:
        project = get_object_or_404(Project, slug=slug, members__user=request.user)
        return view(request, project, *args, **kwargs)

    return checked


def own_assignment(request: HttpRequest, public_id: str) -> Assignment:
    """The viewer's own assignment with its HIT, batch and project; 404 for anybody else's."""
    rows = Assignment.objects.select_related("hit", "batch", "batch__project", "worker")
    assignment = get_object_or_404(rows, public_id=public_id, worker__user=request.user)
    assignment.worker.project = assignment.batch.project
    return assignment


def open_batch(request: HttpRequest, pk: int) -> tuple[Batch, Worker]:
    """A launched batch of a project in which the viewer is a worker; 404 otherwise."""
    launched = Batch.objects.exclude(state__in=[Batch.State.DRAFT, Batch.State.LAUNCHING])
    batch = get_object_or_404(launched.select_related("project"), pk=pk, project__workers__user=request.user)
    worker = Worker.objects.get(project=batch.project, user=request.user)
    worker.project = batch.project
    return batch, worker


def with_next(url: str, request: HttpRequest) -> HttpResponse:
    """Redirect to `url`, which leads back here afterwards."""
    return redirect(f"{url}?{urlencode({'next': request.get_full_path()})}")
