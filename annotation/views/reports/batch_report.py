"""A batch's report and its workers: the stored report with its files, and its recalculation in a job."""

from dataclasses import replace
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation import jobs
from annotation.flow.batches import batch_progress, cached_figures, hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.money import wages
from annotation.flow.reports import batch_scores, methods_facts, score_looks
from annotation.models import Batch, BatchReport, Job, Project
from annotation.models.batch import by_disagreement
from annotation.pure.people import roles
from annotation.recruitment import marketplaces
from annotation.registry import task_type
from annotation.tasktype import capabilities
from annotation.templatetags.language_tags import in_language
from annotation.views.access import Request, member_action, member_page, requester_action
from annotation.views.batches.batch_page import OPENED, batch_context, is_folded
from annotation.views.post_handling import enqueue_and_redirect, see_other
from annotation.views.reports.report_display import exhibit, part_query
from annotation.views.reports.report_export import EXPORTS
from annotation.views.reports.report_files import in_words

WORST = 10  # HITs listed below the report


@member_page(roles.SEE)
def report(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The stored report of the batch or of a part; if there is none, a form to compute it."""
    parts = hit_filters.parts_of(batch)
    part = _part(request, parts)
    kept = batch_scores.kept_report(batch, part)
    # what a large batch shows may be older than what files and the API have, and the page says so
    since = cached_figures.cached_at(batch)
    fresh = kept is not None and batch_scores.is_fresh_as_kept(batch, kept)
    under_way = _jobs(batch, part).filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    job = None if fresh else under_way.last()  # whoever reads whole figures is not interrupted by a page loaded anew
    context = batch_context(batch, "report", report=kept, fresh=fresh, job=job, cached_at=since)
    context |= {"answered": batch_progress.counts_of(batch).submitted}
    context |= {"part": part, "parts": parts, "part_query": part_query(part)}
    context["tie_rules"] = {rule: _(words) for rule, words in batch_scores.tie_rules(batch).items()}
    if is_folded(request, batch):
        places = batch.hits.filter(excluded_at__isnull=True).places().get(batch.pk, {"wanted": 0})
        return render(request, "reports/report.html", context | {"folded": places["wanted"], "report": None})
    if kept:
        context |= exhibit(kept.content, batch, part) | {"worst": _worst(batch, part), "report_exports": EXPORTS}
    again = capabilities.follow_up(task_type(batch.task), batch.options)
    if kept and again and not part.is_part and roles.RUN in request.may:
        context["follow_up"] = _(again.label)
    if kept and not part.is_part:
        context["methods"] = in_words(methods_facts.kept_facts(batch, kept.content if fresh else None))
        context["demographics"] = marketplaces().demographics(batch) if batch.on_marketplace else ()
    return render(request, "reports/report.html", context)


@member_action(roles.SEE)
def report_open(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Open the scores before all responses are in, which is logged."""
    request.session[OPENED] = request.session.get(OPENED, {}) | {str(batch.pk): score_looks.record_look(batch)}
    return see_other("report", project.slug, batch.slug)


def _part(request: Request, parts: hit_filters.Parts) -> BatchPart:
    """The filter of the query string, as far as the batch has such parts."""
    wanted = BatchPart.of(request.GET).of_report
    return replace(
        wanted,
        dataset=wanted.dataset if wanted.dataset in parts.datasets else "",
        hops=wanted.hops if wanted.hops in parts.hops else None,
        shape=wanted.shape if wanted.shape in parts.shapes else "",
    )


def _worst(batch: Batch, part: BatchPart) -> list[Any]:
    differing = batch.hits.filter(hit_filters.of_items(replace(part, differing=True)), check_item=False)
    differing = differing.filter(excluded_at__isnull=True)
    rows = differing.select_related("item__dataset").defer("payload", "item__content")
    return list(rows.order_by(by_disagreement().desc(), "pk")[:WORST])


def _arguments(batch: Batch, part: BatchPart) -> dict[str, Any]:
    return {"batch": batch.pk, "cut": part.query} if part.key else {"batch": batch.pk}


def _jobs(batch: Batch, part: BatchPart) -> Any:
    return batch.project.jobs.filter(kind="score_batch", arguments=_arguments(batch, part))


@member_action(roles.SEE)
def report_refresh(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Recalculate the report of the batch or of the filtered part; for htmx shows progress, else redirects."""
    part = _part(request, hit_filters.parts_of(batch))
    jobs.enqueue_once(
        "score_batch",
        project=project,
        title=_("Report on %(batch)s") % {"batch": in_language(batch.title)},
        arguments=_arguments(batch, part),
        user=request.user,
    )
    if request.htmx:
        return _progress(request, batch, part)
    return HttpResponseRedirect(reverse("report", args=[project.slug, batch.slug]) + part_query(part), status=303)


@requester_action
def report_follow_up(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Start the job that prepares the follow-up batches; 404 for a task without any."""
    if capabilities.follow_up(task_type(batch.task), batch.options) is None:
        raise Http404
    title = _("Follow-up to %(batch)s") % {"batch": in_language(batch.title)}
    return enqueue_and_redirect(request, "follow_up", title, {"batch": batch.pk}, project=project)


@member_page(roles.SEE)
def report_progress(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Progress of the report, polled every second; reloads the page at the end."""
    return _progress(request, batch, _part(request, hit_filters.parts_of(batch)))


def _progress(request: Request, batch: Batch, part: BatchPart) -> HttpResponse:
    job = _jobs(batch, part).last()
    context = {"project": batch.project, "batch": batch, "job": job, "part_query": part_query(part)}
    response = render(request, "reports/_computing.html", context)
    if job is None or job.state == Job.State.DONE:
        response["HX-Refresh"] = "true"
    return response


@member_page(roles.SEE)
def batch_workers(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """The batch's workers under pseudonyms, with their scores from the last report."""
    folded = is_folded(request, batch)
    kept = None if folded else BatchReport.objects.filter(batch=batch).first()
    datasets = kept.content.get("datasets", {}) if kept else {}
    since = cached_figures.cached_at(batch)
    page: Page[Any] = Paginator(batch_progress.rows_of_workers(batch), 100).get_page(request.GET.get("page"))
    page.object_list = batch_progress.with_workers(batch, list(page))
    paid = {wage.worker: wage for wage in batch_progress.wages_of(batch)}
    for row in page:
        row["wage"] = paid.get(row["worker"].pk)
        own = ((name, study["by_worker"].get(row["worker"].pseudonym)) for name, study in datasets.items())
        row["scores"] = [(name, scores) for name, scores in own if scores]
    figures: dict[str, Any] = {"page": page, "report": kept, "folded": folded, "wages": wages.summary(paid.values())}
    context = batch_context(batch, "batch-workers", cached_at=since, **figures)
    return render(request, "batches/workers.html", context)
