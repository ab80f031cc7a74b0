"""What goes beside an exported dataset, as files: its provenance, its datasheet and its card."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.downloads import sent
from annotation.flow.documenting import DOCUMENTS, stream_document
from annotation.formats import FORMATS
from annotation.models import Project
from annotation.pure import roles
from annotation.views.access import member_required
from annotation.views.datasets import dataset_of


@never_cache
@require_safe
@member_required(roles.SEE)
def dataset_document(request: HttpRequest, project: Project, name: str, document: str) -> HttpResponse:
    """One of the documents; `?format=` names the export that the card is to lie beside."""
    row = dataset_of(project, name)
    if document not in DOCUMENTS:
        raise Http404
    format = request.GET.get("format", row.format)
    blocks = stream_document(row, document, format=format if format in FORMATS else row.format)
    return sent(request, row, blocks, name=f"{name}.{DOCUMENTS[document]}")
