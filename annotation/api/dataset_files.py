"""Files of a dataset: its export in any format, and the documents that go beside it."""

from __future__ import annotations

from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from annotation.api.dataset_base import DatasetView
from annotation.api.lists import AnyType, asked
from annotation.downloads import BYTES, sent
from annotation.flow import documenting, exporting, parting
from annotation.formats import FORMATS

TYPES = {"provenance": "application/x-ndjson", "datasheet": "text/markdown", "card": "text/markdown"}


class ExportFilters(serializers.Serializer):
    """How the file is to be."""

    folder = serializers.BooleanField(
        default=False, help_text="the files of a format's release as one ZIP file, where it has several"
    )
    retired = serializers.BooleanField(default=False, help_text="with the items that were retired; not in a folder")


class Export(DatasetView):
    """A dataset as a file."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="exportDataset",
        parameters=[ExportFilters, OpenApiParameter("format", str, OpenApiParameter.PATH, enum=sorted(FORMATS))],
        responses={(200, BYTES): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str, name: str, format: str) -> HttpResponseBase:
        """The dataset as a file of a format, streamed.

        How each item came to be is the document `provenance`, joined on the id. A format that has no form for the
        items is refused with 409.
        """
        wish = asked(ExportFilters, request.query_params)
        folder, retired = wish["folder"], wish["retired"]
        if format not in FORMATS or (folder and not parting.parted(format)):
            raise Http404
        if folder:
            blocks = parting.stream_folder(self.dataset, format)
        else:
            blocks = exporting.stream_dataset(self.dataset, format, retired=retired)
        suffix = ".zip" if folder else FORMATS[format].suffix
        return sent(request, self.dataset, blocks, name=f"{name}.{format}{suffix}")


class DocumentFilters(serializers.Serializer):
    """What the document is to lie beside."""

    format = serializers.ChoiceField(choices=sorted(FORMATS), required=False, help_text="of the export beside the card")


class Document(DatasetView):
    """What goes beside an export."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="getDatasetDocument",
        parameters=[DocumentFilters, OpenApiParameter("document", str, OpenApiParameter.PATH, enum=sorted(TYPES))],
        responses={
            (200, "text/markdown"): OpenApiTypes.STR,
            (200, "application/x-ndjson"): OpenApiTypes.BINARY,
        },
    )
    def get(self, request: Request, slug: str, name: str, document: str) -> HttpResponseBase:
        """The dataset's provenance (JSON lines), datasheet or card (Markdown)."""
        format = asked(DocumentFilters, request.query_params).get("format") or self.dataset.format
        if document not in TYPES:
            raise Http404
        blocks = documenting.stream_document(self.dataset, document, format=format)
        file = f"{name}.{documenting.DOCUMENTS[document]}"
        return sent(request, self.dataset, blocks, name=file, kind=TYPES[document])
