"""Documents on a dataset as files: provenance, datasheet, card."""

from django.http import Http404, HttpRequest, HttpResponse

from annotation.flow.reports.dataset_documents import DOCUMENTS, stream_document
from annotation.formats import FORMATS
from annotation.models import Project
from annotation.operations.downloads import sent
from annotation.pure.people import roles
from annotation.views.access import member_page
from annotation.views.data.datasets import dataset_of
from annotation.views.data.derivation_report import derived_tables
from annotation.views.reports.report_files import table_file


@member_page(roles.SEE)
def dataset_document(request: HttpRequest, project: Project, name: str, document: str) -> HttpResponse:
    """One of the documents; `?format=` names the export that the card describes."""
    row = dataset_of(project, name)
    if document not in DOCUMENTS:
        raise Http404
    format = request.GET.get("format", row.format)
    blocks = stream_document(row, document, format=format if format in FORMATS else row.format)
    return sent(request, row, blocks, name=f"{name}.{DOCUMENTS[document]}")


@member_page(roles.SEE)
def dataset_table(request: HttpRequest, project: Project, name: str, table: str, suffix: str) -> HttpResponse:
    """A table of a derivation's report, as LaTeX, Markdown or CSV."""
    row = dataset_of(project, name)
    tables = {derived["name"]: derived for derived in derived_tables(row.report)}
    return table_file(request, row, tables.get(table), suffix, name=f"{name}-{table}")
