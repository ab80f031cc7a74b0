"""A report's tables and charts as files, from the report as it is kept."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.downloads import attached, sent
from annotation.flow import scoring
from annotation.models import Batch, Project
from annotation.pure import roles
from annotation.pure.cuts import Cut
from annotation.pure.plots import plot_of
from annotation.pure.report_values import table_of
from annotation.pure.svg import draw
from annotation.pure.table_files import FILES
from annotation.views.access import member_required
from annotation.views.batch_page import batch_of

SVG = "image/svg+xml"


@never_cache
@require_safe
@member_required(roles.SEE)
def report_table(request: HttpRequest, project: Project, batch: str, name: str, suffix: str) -> HttpResponse:
    """A table as LaTeX, Markdown or CSV; 404 where the kept report has no such table."""
    shown = batch_of(project, batch)
    table, form = table_of(_content(shown, request), name), FILES.get(suffix)
    if table is None or form is None:
        raise Http404
    return sent(request, shown, form.write(table, _), name=f"{shown.slug}-{name}.{suffix}", kind=form.media)


@never_cache
@require_safe
@member_required(roles.SEE)
def report_chart(request: HttpRequest, project: Project, batch: str, name: str) -> HttpResponse:
    """A chart as SVG: shown by a page's image, saved where it is opened."""
    shown = batch_of(project, batch)
    plot = plot_of(_content(shown, request), name, _)
    if plot is None:
        raise Http404
    return attached(draw(plot), name=f"{shown.slug}-{name}.svg", kind=SVG)


def _content(batch: Batch, request: HttpRequest) -> dict[str, object]:
    kept = scoring.kept_report(batch, Cut.of(request.GET).of_report)
    if kept is None:
        raise Http404
    return kept.content
