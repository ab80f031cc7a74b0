"""The report of a batch: the stored one, its recalculation in a job, its tables as files."""

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import QueuedSerializer, action, operation
from annotation.api.serializers import JSON, TEXT, Input
from annotation.api.setting_fields import filter_of
from annotation.flow.batches.hit_filters import BatchPart, ReportPart
from annotation.flow.reports import batch_scores, score_looks
from annotation.models import Batch, Job
from annotation.operations.downloads import logged_download
from annotation.pure.people import roles
from annotation.pure.reports import tables
from annotation.pure.reports.report_values import table_of, tables_of
from annotation.pure.reports.table_files import FILES


class PartInput(Input, filter_of(ReportPart)):  # type: ignore[misc]  # a class made by a call
    """Part of a batch, as a body."""

    EXAMPLE = {"dataset": "wells", "hops": 3}


class TableSerializer(serializers.Serializer):
    """A table. A cell is text, a number, null, or a figure {value, low, high, n} from 0 to 1."""

    name = serializers.CharField()
    title = serializers.CharField()
    note = serializers.CharField()
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=serializers.JSONField(allow_null=True)))


class ReportSerializer(serializers.Serializer):
    """The report as last computed."""

    computed_at = serializers.DateTimeField(allow_null=True, help_text="When it was computed; null: never.")
    fresh = serializers.BooleanField(help_text="Whether it covers the current responses.")
    tables = TableSerializer(many=True)
    content = serializers.DictField(allow_null=True, help_text="The complete report as the task computes it.")


def table_data(table: JSON) -> JSON:
    """A table with its texts in the reader's language; figures stay unformatted."""
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


def report_data(batch: Batch, part: BatchPart) -> JSON:
    """The stored report of a batch or of a part of it."""
    kept = batch_scores.kept_report(batch, part)
    if kept is None:
        return {"computed_at": None, "fresh": False, "tables": [], "content": None}
    score_looks.record_look(batch)
    return {
        "computed_at": kept.created_at,
        "fresh": batch_scores.is_fresh(batch, kept),
        "tables": [table_data(table) for table in tables_of(kept.content)],
        "content": kept.content,
    }


class BatchReportViewSet(BatchPartViewSet):
    """The report of a batch."""

    serializer_class = ReportSerializer
    single = True

    @operation(query=ReportPart)
    def retrieve(self, part: ReportPart) -> JSON:
        """The report of a batch, or of a part of it, as last computed."""
        return report_data(self.batch, BatchPart(**vars(part)))

    @action(takes=PartInput, gives=QueuedSerializer, act=roles.SEE)
    def refresh(self, part: ReportPart) -> Job:
        """Recalculate the report of a batch, or of a part of it, in a job."""
        arguments = {"batch": self.batch.pk} | ({"cut": part.query} if part.key else {})
        title = _("Report on %(batch)s") % {"batch": self.batch.title}
        return self.enqueue("score_batch", title, arguments)

    @action(
        "get",
        "tables/<slug:table>/<slug:format>",
        query=ReportPart,
        choices={"format": FILES},
        files={form.media: TEXT for form in FILES.values()},
        id="exportReportTable",
    )
    def table(self, part: ReportPart) -> HttpResponseBase:
        """A table of the stored report as a file: `tex`, `md` or `csv`."""
        table, format = self.kwargs["table"], self.kwargs["format"]
        kept = batch_scores.kept_report(self.batch, BatchPart(**vars(part)))
        found = table_of(kept.content, table) if kept else None
        if found is None:
            raise Http404
        score_looks.record_look(self.batch)
        name = f"{self.batch.slug}-{table}.{format}"
        return logged_download(
            self.request, self.batch, FILES[format].write(found, _), name=name, kind=FILES[format].media
        )
