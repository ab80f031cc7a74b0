"""The floor of `make bench cycles`: what an item costs when nothing has to be decided or rendered."""

from __future__ import annotations

from functools import cache

from django.contrib.auth.decorators import login_required
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import path
from django.views.decorators.http import require_POST

from annotation.models import Assignment, Hit, Participation
from annotation.urls import urlpatterns as product
from annotation.views.work.task_frame import page_of


@cache
def item() -> str:
    """An item as it answers a submission, rendered once."""
    assignment = Assignment.objects.select_related("hit", "batch", "batch__project", "worker__user")[0]
    request = HttpRequest()
    request.user = assignment.worker.user
    participation = Participation.objects.get(batch=assignment.batch_id, worker=assignment.worker_id)
    context = page_of(request, assignment, participation) | {"fragment": True}
    return render_to_string(f"{assignment.batch.task}/page.html", context, request)


def _store(request: HttpRequest) -> None:
    with connection.cursor() as cursor:
        row = [request.user.pk, request.POST.urlencode()]
        cursor.execute("INSERT INTO bench_floor (person, body) VALUES (%s, %s)", row)


@require_POST
@login_required
def floor(request: HttpRequest, pk: int) -> HttpResponse:
    Hit.objects.get(pk=pk)
    _store(request)
    return HttpResponse(item())


@require_POST
@login_required
def draft(request: HttpRequest, pk: int) -> JsonResponse:
    _store(request)
    return JsonResponse({"version": 1})


urlpatterns = [*product, path("floor/<int:pk>/", floor), path("floor/<int:pk>/draft/", draft)]
