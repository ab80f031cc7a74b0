"""Tables and charts of the stored report as files."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation.flow.reports import batch_scores
from annotation.models import Batch, Project
from annotation.operations.downloads import attached, sent
from annotation.pure.batches.hit_filters import Cut
from annotation.pure.people import roles
from annotation.pure.reports.plots import plot_of
from annotation.pure.reports.report_values import table_of
from annotation.pure.reports.svg import as_file
from annotation.pure.reports.table_files import FILES
from annotation.views.access import member_page
from annotation.views.batches.batch_page import batch_of

SVG = "image/svg+xml"


def table_file(request: HttpRequest, of: Any, table: dict[str, Any] | None, suffix: str, *, name: str) -> HttpResponse:
    """A table as LaTeX, Markdown or CSV; 404 for none, and for other suffixes."""
    if table is None or suffix not in FILES:
        raise Http404
    form = FILES[suffix]
    return sent(request, of, form.write(table, _), name=f"{name}.{suffix}", kind=form.media)


@member_page(roles.SEE)
def report_table(request: HttpRequest, project: Project, batch: str, name: str, suffix: str) -> HttpResponse:
    """A table as LaTeX, Markdown or CSV; 404 if the stored report does not have it."""
    shown = batch_of(project, batch)
    table = table_of(_content(shown, request), name)
    return table_file(request, shown, table, suffix, name=f"{shown.slug}-{name}")


@member_page(roles.SEE)
def report_chart(request: HttpRequest, project: Project, batch: str, name: str) -> HttpResponse:
    """A chart as SVG, for an image on a page or as a file."""
    shown = batch_of(project, batch)
    plot = plot_of(_content(shown, request), name, _)
    if plot is None:
        raise Http404
    return attached(as_file(plot), name=f"{shown.slug}-{name}.svg", kind=SVG)


def _content(batch: Batch, request: HttpRequest) -> dict[str, object]:
    kept = batch_scores.kept_report(batch, Cut.of(request.GET).of_report)
    if kept is None:
        raise Http404
    return kept.content
