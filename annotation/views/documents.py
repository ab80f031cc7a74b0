"""What goes beside an exported dataset, as files: its provenance, its datasheet and its card."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.flow import documenting
from annotation.formats import FORMATS
from annotation.models import Dataset, Project
from annotation.views.access import requester_required
from annotation.views.datasets import dataset_of

DOCUMENTS = {"provenance": "provenance.jsonl", "datasheet": "datasheet.md", "card": "card.md"}


@never_cache
@require_safe
@requester_required
def dataset_document(request: HttpRequest, project: Project, name: str, document: str) -> HttpResponse:
    """One of the documents; `?format=` names the export that the card is to lie beside."""
    row = dataset_of(project, name)
    if document not in DOCUMENTS:
        raise Http404
    format = request.GET.get("format", row.format)
    blocks = _blocks(row, document, format if format in FORMATS else row.format)
    response = StreamingHttpResponse(blocks, content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{name}.{DOCUMENTS[document]}"'
    return response


def _blocks(row: Dataset, document: str, format: str) -> Iterator[bytes]:
    if document == "provenance":
        return documenting.stream_provenance(row)
    if document == "datasheet":
        return iter([documenting.datasheet_of(row).encode()])
    suffix = f".{format}{FORMATS[format].suffix}"
    files = {split: f"{each.slug}{suffix}" for split, each in documenting.splits_of(row).items()}
    beside = f"{row.slug}.{DOCUMENTS['datasheet']}"
    return iter([documenting.card_of(row, files=files, beside=beside).encode()])
