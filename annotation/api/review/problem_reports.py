"""Workers' problem reports, and requesters' decisions on them."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import action, operation
from annotation.flow.errors import Conflict
from annotation.flow.review import gold_looks, problem_reports
from annotation.models import ProblemReport
from annotation.pure.people import roles


class ProblemReportSerializer(serializers.Serializer):
    """A problem report. `state`: open, kept (the item is fine) or excluded."""

    id = serializers.IntegerField(source="pk")
    hit = serializers.CharField(source="assignment.hit.public_id")
    assignment = serializers.CharField(source="assignment.public_id")
    worker = serializers.CharField(allow_null=True, help_text="Null while the account is still to adjudicate the HIT.")
    reason = serializers.ChoiceField(choices=problem_reports.REASONS)
    text = serializers.CharField(allow_blank=True, help_text="What they wrote.")
    state = serializers.ChoiceField(choices=ProblemReport.State.values)
    created_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)


class BatchProblemReportViewSet(BatchPartViewSet):
    """Problem reports of a batch."""

    serializer_class = ProblemReportSerializer
    act = reads = roles.REVIEW
    lookup_field, lookup_value_converter = "pk", "int"
    row: ProblemReport

    def get_queryset(self) -> Any:
        rows = ProblemReport.objects.filter(assignment__batch=self.batch)
        rows = rows.select_related("assignment__hit__batch", "assignment__worker__project")
        return rows.defer("assignment__hit__payload", "assignment__draft")

    def prepare(self, rows: list[Any]) -> list[Any]:
        hidden = gold_looks.hidden_keys([row.assignment.hit_id for row in rows], self.request.user)
        for row in rows:
            row.worker = None if row.assignment.hit_id in hidden else row.assignment.worker.pseudonym
        return rows

    @operation(query=problem_reports.ProblemReportFilter)
    def list(self, wanted: problem_reports.ProblemReportFilter) -> Any:
        """List problem reports, oldest first. To agree with a report, exclude its HIT."""
        return wanted.narrow(self.project, self.get_queryset())

    @action(url_path="keep", id="closeBatchProblemReport")
    def keep(self) -> None:
        """Close a report and keep the HIT."""
        kept = problem_reports.keep(self.row)
        if not kept and not self.get_queryset().filter(pk=self.row.pk, state=ProblemReport.State.KEPT).exists():
            raise Conflict(_("This problem report was decided in the meantime."))

    @action()
    def reopen(self) -> None:
        """Reopen a report; a HIT that was excluded because of it counts again."""
        problem_reports.reopen(self.row)
