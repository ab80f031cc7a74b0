"""The product's addresses and the floor: what a cycle costs when nothing has to be decided.

One GET that reads one row by index and renders the same page, and one POST that commits one insert, behind the
same server, database, middleware and session.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.models import Assignment, Hit, Participation
from annotation.registry import form_class, task_type
from annotation.urls import urlpatterns as product
from annotation.views.work.task_frame import page_of


@cache
def surroundings(kind: str) -> dict[str, Any]:
    """Everything of the page that is not the HIT, taken once from a real assignment."""
    assignment = Assignment.objects.select_related("hit", "batch", "batch__project", "worker__user")[0]
    request = HttpRequest()
    request.user = assignment.worker.user
    participation = Participation.objects.get(batch=assignment.batch_id, worker=assignment.worker_id)
    return page_of(request, assignment, participation)


@never_cache
@login_required
def floor_page(request: HttpRequest, pk: int) -> HttpResponse:
    hit = Hit.objects.get(pk=pk)
    payload = task_type("answer").arrange(hit.payload, Random(pk))
    draft = form_class("answer")(payload).shown(None) | {"active_seconds": 0}
    context = surroundings("answer") | {"payload": payload, "draft": draft}
    return render(request, "answer/page.html", context)


@require_POST
@login_required
def floor_submit(request: HttpRequest, pk: int) -> HttpResponse:
    with connection.cursor() as cursor:
        row = [request.user.pk, request.POST.urlencode()]
        cursor.execute("INSERT INTO bench_floor (person, body) VALUES (%s, %s)", row)
    return HttpResponseRedirect(f"/floor/{pk + 1}/", status=303)


urlpatterns = [
    *product,
    path("floor/<int:pk>/", floor_page),
    path("floor/<int:pk>/submit/", floor_submit),
]
