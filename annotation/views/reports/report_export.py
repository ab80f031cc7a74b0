"""A whole report as a file: its tables as LaTeX, Markdown or CSV, its charts as SVG, all of it as an HTML page."""

import io
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.reports import score_looks
from annotation.models import Batch, Project
from annotation.operations.downloads import logged_download
from annotation.pure.people import roles
from annotation.pure.reports import tables
from annotation.pure.reports.report_charts import charts_of
from annotation.pure.reports.report_values import tables_of
from annotation.pure.reports.svg import as_file
from annotation.pure.reports.table_files import as_csv, as_latex, as_markdown
from annotation.templatetags.language_tags import in_language
from annotation.views.access import member_page
from annotation.views.reports.report_display import exhibit, in_words
from annotation.views.reports.report_files import methods_of, stored_report

ZIP = "application/zip"


@dataclass(frozen=True)
class Report:
    """A stored report and what stands beside it."""

    batch: Batch
    part: BatchPart
    content: dict[str, Any]
    made_at: datetime
    written: Callable[[], dict[str, str]]  # the methods paragraph, which is slow to write

    @cached_property
    def methods(self) -> dict[str, str]:
        """The methods paragraph; nothing for a part of the batch."""
        return {} if self.part.is_part else self.written()


def _latex(report: Report) -> str:
    return "\n\n".join(as_latex(table, _) for table in tables_of(report.content)) + "\n"


def _markdown(report: Report) -> str:
    parts = [f"# {in_language(report.batch.title)}", in_words(report.content), report.methods.get("text", "")]
    for table in tables_of(report.content):
        parts += [f"## {tables.title_of(table, _)}", as_markdown(table, _), tables.note_of(table, _)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _tables(report: Report) -> bytes:
    return _zipped((f"{table['name']}.csv", as_csv(table, _).encode()) for table in tables_of(report.content))


def _charts(report: Report) -> bytes:
    return _zipped((f"{plot.name}.svg", as_file(plot)) for plot in charts_of(report.content, _))


def _page(report: Report) -> str:
    """The report as one page that needs no other file."""
    context = exhibit(report.content, report.batch, report.part, alone=True)
    context |= {"batch": report.batch, "part": report.part, "methods": report.methods, "made_at": report.made_at}
    return render_to_string("reports/report_file.html", context)


@dataclass(frozen=True, slots=True)
class Export:
    """A form of the whole report."""

    label: Any
    suffix: str
    media: str
    write: Callable[[Report], str | bytes]


EXPORTS = {
    "html": Export(gettext_lazy("Whole report, HTML"), "html", "text/html; charset=utf-8", _page),
    "latex": Export(gettext_lazy("All tables, LaTeX"), "tex", "application/x-tex; charset=utf-8", _latex),
    "markdown": Export(gettext_lazy("All tables, Markdown"), "md", "text/markdown; charset=utf-8", _markdown),
    "csv": Export(gettext_lazy("All tables, CSV (ZIP)"), "csv.zip", ZIP, _tables),
    "svg": Export(gettext_lazy("All charts, SVG (ZIP)"), "svg.zip", ZIP, _charts),
}


@member_page(roles.SEE)
def report_export(request: HttpRequest, project: Project, batch: Batch, form: str) -> HttpResponseBase:
    """The stored report in one of EXPORTS; 404 for other forms, and without a report."""
    if form not in EXPORTS:
        raise Http404
    shown, part, export = batch, BatchPart.of(request.GET).of_report, EXPORTS[form]
    kept = stored_report(shown, request)
    written = export.write(Report(shown, part, kept.content, kept.created_at, partial(methods_of, shown, kept)))
    score_looks.record_look(shown)
    return logged_download(request, shown, written, name=f"{shown.slug}-report.{export.suffix}", kind=export.media)


def _zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
