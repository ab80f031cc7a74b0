"""A batch's report and the people behind it: the kept one at once, a fresh one by a job."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import jobs
from annotation.flow import scoring, watching
from annotation.models import Batch, BatchReport, Job, Project
from annotation.views.access import requester_required
from annotation.views.batch_page import batch_context, batch_of
from annotation.views.report_exhibit import corrected_rows, exhibit
from annotation.views.report_tables import corrected_tables, tables_exhibit
from annotation.views.seeing import see

WORST = 10  # HITs named below the report


@never_cache
@require_safe
@requester_required
def report(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """The report as last computed, and whether judgments came since; without one, the way to compute it."""
    shown = batch_of(project, batch)
    kept = BatchReport.objects.filter(batch=shown).first()
    fresh = kept is not None and scoring.cached_report(shown) is not None
    context = batch_context(shown, "report", report=kept, fresh=fresh, job=_under_way(shown))
    context["answered"] = watching.counts_of(shown).submitted
    if kept and kept.content.get("datasets"):
        context |= exhibit(kept.content) | {"worst": _worst(shown), "corrected": corrected_rows(kept.content)}
    elif kept and kept.content.get("tables"):
        context |= tables_exhibit(kept.content) | {"worst": _worst(shown)}
        context["corrected_tables"] = corrected_tables(kept.content)
    return render(request, "batches/report.html", context)


def _worst(batch: Batch) -> list[Any]:
    differing = batch.hits.filter(disagreement__gt=0).order_by("-disagreement", "pk")
    return list(differing.select_related("item__dataset").defer("payload", "item__content")[:WORST])


def _jobs(batch: Batch) -> Any:
    return batch.project.jobs.filter(kind="score_batch", arguments={"batch": batch.pk})


def _under_way(batch: Batch) -> Job | None:
    return _jobs(batch).filter(state__in=[Job.State.WAITING, Job.State.RUNNING]).last()


@require_POST
@requester_required
def report_refresh(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Compute the report anew; for htmx the progress, else back to the page."""
    shown = batch_of(project, batch)
    jobs.enqueue_once(
        "score_batch",
        project=project,
        title=_("Report of %(batch)s") % {"batch": shown.title},
        arguments={"batch": shown.pk},
        user=request.user,
    )
    if request.htmx:
        return _progress(request, shown)
    return see("report", project.slug, shown.slug)


@never_cache
@require_safe
@requester_required
def report_progress(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """How far the report has come, asked for every second; the page is loaded anew when it is there."""
    return _progress(request, batch_of(project, batch))


def _progress(request: HttpRequest, batch: Batch) -> HttpResponse:
    job = _jobs(batch).last()
    response = render(request, "batches/_computing.html", {"project": batch.project, "batch": batch, "job": job})
    if job is None or job.state == Job.State.DONE:
        response["HX-Refresh"] = "true"
    return response


@never_cache
@require_safe
@requester_required
def batch_workers(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Who works on the batch, under pseudonyms, with their scores from the last report."""
    shown = batch_of(project, batch)
    kept = BatchReport.objects.filter(batch=shown).first()
    datasets = kept.content.get("datasets", {}) if kept else {}
    rows = watching.workers_of(shown)
    for row in rows:
        own = ((name, found["by_worker"].get(row["worker"].pseudonym)) for name, found in datasets.items())
        row["scores"] = [(name, found) for name, found in own if found]
    return render(request, "batches/workers.html", batch_context(shown, "batch-workers", rows=rows, report=kept))
