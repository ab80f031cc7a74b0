"""The report of a batch as plain values: the kept one at once, a fresh one by a job, its tables as files."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import jobs
from annotation.api.batch_base import BatchView
from annotation.api.lists import JSON, AnyType, Wish, asked
from annotation.api.queued import QueuedSerializer, queued
from annotation.api.writing import repeatable
from annotation.downloads import sent
from annotation.flow import scoring
from annotation.models import Batch
from annotation.pure import roles, tables
from annotation.pure.cuts import TIES, Cut
from annotation.pure.report_values import table_of, tables_of
from annotation.pure.table_files import FILES


class CutFilter(serializers.Serializer):
    """Which part of the batch; all of it unless you narrow it."""

    dataset = serializers.CharField(max_length=100, required=False)
    hops = serializers.IntegerField(min_value=1, max_value=100, required=False)
    shape = serializers.CharField(max_length=60, required=False)
    since = serializers.DateField(required=False, help_text="Answers submitted on this day (UTC) or later.")
    until = serializers.DateField(required=False, help_text="… or earlier.")
    ties = serializers.ChoiceField(
        choices=TIES, required=False,
        help_text="How the human score of `answer` breaks ties: by the expected value, or by the batch's seed.",
    )  # fmt: skip


class CutWish(Wish, CutFilter):
    """The same as a body."""


class TableSerializer(serializers.Serializer):
    """A table. A cell is text, a number, nothing, or a figure {value, low, high, n} in 0 to 1."""

    name = serializers.CharField()
    title = serializers.CharField()
    note = serializers.CharField()
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=serializers.JSONField(allow_null=True)))


class ReportSerializer(serializers.Serializer):
    """A report as last computed."""

    computed_at = serializers.DateTimeField(allow_null=True, help_text="null: it was never computed.")
    fresh = serializers.BooleanField(help_text="Whether it stands for the judgments that there are.")
    tables = TableSerializer(many=True)
    content = serializers.DictField(allow_null=True, help_text="The whole of it, as the task type writes it.")


def cut_of(wish: JSON) -> Cut:
    """The part of the batch that is wished."""
    texts = {name: value.isoformat() if isinstance(value, date) else str(value) for name, value in wish.items()}
    return Cut.of(texts)


def table_told(table: JSON) -> JSON:
    """A table with its words in the reader's language; figures stay as they are."""
    return {
        "name": table["name"],
        "title": tables.title_of(table, _),
        "note": tables.note_of(table, _),
        "columns": tables.quotable(table, _)[0],
        "rows": [[_cell(cell) for cell in row] for row in table["rows"]],
    }


def _cell(cell: Any) -> Any:
    plain = cell is None or tables.is_figure(cell) or isinstance(cell, int | float | str)
    return cell if plain else tables.cell_text(cell, _)


def report_told(batch: Batch, cut: Cut) -> JSON:
    """The kept report of the batch or of a part of it."""
    kept = scoring.kept_report(batch, cut)
    if kept is None:
        return {"computed_at": None, "fresh": False, "tables": [], "content": None}
    return {
        "computed_at": kept.created_at,
        "fresh": scoring.is_fresh(batch, kept),
        "tables": [table_told(table) for table in tables_of(kept.content)],
        "content": kept.content,
    }


class Report(BatchView):
    """The report of a batch."""

    serializer_class = ReportSerializer

    @extend_schema(parameters=[CutFilter], responses=ReportSerializer)
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """The report of a batch, or of a part of it, as last computed."""
        cut = cut_of(asked(CutFilter, request.query_params))
        return Response(ReportSerializer(report_told(self.batch, cut)).data)


class Refresh(BatchView):
    """Computing a report."""

    serializer_class = QueuedSerializer
    act = roles.SEE

    @extend_schema(operation_id="refreshBatchReport", request=CutWish, responses={202: QueuedSerializer})
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Compute the report of a batch, or of a part of it, anew by a job."""
        cut = cut_of(asked(CutWish, request.data))
        arguments = {"batch": self.batch.pk} | ({"cut": cut.query} if cut.key else {})
        title = _("Report of %(batch)s") % {"batch": self.batch.title}
        wish = {"project": self.project, "title": title, "arguments": arguments, "user": request.user}
        return queued(jobs.enqueue_once("score_batch", **wish))


class TableFile(BatchView):
    """A table of the report."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="exportReportTable",
        parameters=[CutFilter, OpenApiParameter("format", str, OpenApiParameter.PATH, enum=sorted(FILES))],
        responses={(200, form.media): OpenApiTypes.STR for form in FILES.values()},
    )
    def get(self, request: Request, slug: str, batch: str, table: str, format: str) -> HttpResponseBase:
        """A table of the kept report as a file: `tex`, `md` or `csv`."""
        kept = scoring.kept_report(self.batch, cut_of(asked(CutFilter, request.query_params)))
        found = table_of(kept.content, table) if kept else None
        if found is None or format not in FILES:
            raise Http404
        name = f"{self.batch.slug}-{table}.{format}"
        return sent(request, self.batch, FILES[format].write(found, _), name=name, kind=FILES[format].media)
