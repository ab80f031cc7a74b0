"""Tables and charts of a stored report as files, and its methods paragraph."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.reports import batch_scores, methods_facts, score_looks
from annotation.models import Batch, BatchReport, PartReport, Project
from annotation.operations.downloads import download, logged_download
from annotation.pure.people import roles
from annotation.pure.reports import methods, table_files
from annotation.pure.reports.methods_facts import Facts
from annotation.pure.reports.report_charts import chart_named
from annotation.pure.reports.report_values import table_of
from annotation.pure.reports.svg import as_file
from annotation.pure.reports.table_files import FILES
from annotation.views.access import member_page

SVG = "image/svg+xml"


def table_file(
    request: HttpRequest, of: Any, table: dict[str, Any] | None, suffix: str, *, name: str
) -> HttpResponseBase:
    """A table as LaTeX, Markdown or CSV; 404 for none, and for other suffixes."""
    if table is None or suffix not in FILES:
        raise Http404
    form = FILES[suffix]
    return logged_download(request, of, form.write(table, _), name=f"{name}.{suffix}", kind=form.media)


@member_page(roles.SEE)
def report_table(request: HttpRequest, project: Project, batch: Batch, name: str, suffix: str) -> HttpResponseBase:
    """A table as LaTeX, Markdown or CSV; 404 if the stored report does not have it."""
    table = table_of(stored_report(batch, request).content, name)
    file = table_file(request, batch, table, suffix, name=f"{batch.slug}-{name}")
    score_looks.record_look(batch)
    return file


@member_page(roles.SEE)
def report_chart(request: HttpRequest, project: Project, batch: Batch, name: str) -> HttpResponseBase:
    """A chart as SVG, for an image on a page or as a file."""
    plot = chart_named(stored_report(batch, request).content, name, _)
    if plot is None:
        raise Http404
    score_looks.record_look(batch)
    return download(as_file(plot), name=f"{batch.slug}-{name}.svg", kind=SVG)


def stored_report(batch: Batch, request: HttpRequest) -> BatchReport | PartReport:
    """The stored report of the part that the query string names; 404 if there is none."""
    kept = batch_scores.kept_report(batch, BatchPart.of(request.GET).of_report)
    if kept is None:
        raise Http404
    return kept


def methods_of(batch: Batch, kept: BatchReport | PartReport) -> dict[str, str]:
    """The methods paragraph, as text and LaTeX; without figures of a report that is out of date."""
    fresh = batch_scores.is_fresh(batch, kept)
    return in_words(methods_facts.facts_of(batch, kept.content if fresh else None))


def in_words(facts: Facts) -> dict[str, str]:
    """The methods paragraph, as text and LaTeX; empty before the first response."""
    text = methods.in_words(facts, _)
    return {"text": text, "latex": table_files.latex_text(text)} if text else {}
