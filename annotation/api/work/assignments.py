"""Assignments, with their responses and the requesters' decisions."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from annotation.api.operations import operation
from annotation.api.serializers import ModelResource
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.batches import batch_progress
from annotation.flow.review import gold_looks, review_decisions
from annotation.models import Assignment, Hit, Project, User
from annotation.pure.batches import lifecycle


class AssignmentSerializer(ModelResource):
    """An assignment with its current response."""

    id = serializers.CharField(source="public_id")
    worker = serializers.CharField(
        source="worker_name", allow_null=True, help_text="Null while the account is still to adjudicate the HIT."
    )
    approval = serializers.ChoiceField(
        choices=["", *Assignment.Approved.values], help_text="The decision on its pay; empty: none yet."
    )
    review = serializers.CharField(help_text="State of the review; empty: not submitted.")
    answer = serializers.DictField(allow_null=True)

    class Meta:
        model = Assignment
        fields = [
            "id", "batch", "hit", "worker", "state", "counts", "late", "approval", "review", "instructions_version",
            "accepted_at", "submitted_at", "ended_at", "active_seconds", "revision", "grade", "answer",
        ]  # fmt: skip


def with_answers(project: Project, rows: Iterable[Any], viewer: User | None = None) -> list[Any]:
    """Add responses, review states and pseudonyms to assignments, in a constant number of queries for each batch.

    Without pseudonyms where a viewer is still to adjudicate (flow/review/gold_looks).
    """
    rows = list(rows)
    hidden = gold_looks.hidden_keys([row.hit_id for row in rows], viewer) if viewer else ()
    done = [row for row in rows if row.state == lifecycle.SUBMITTED]
    standings = {one.assignment.pk: one for one in review_decisions.responses_with_reviews(done)}
    for row in rows:
        standing = standings.get(row.pk)
        row.worker_name = None if row.hit_id in hidden else project.pseudonym(row.worker_id)
        row.answer = standing.answer.answer if standing else None
        row.review = standing.state if standing else ""
    return rows


def without_hidden(rows: Any, column: str, wanted: Any, viewer: User | None, project: Project) -> Any:
    """Of a worker's rows only those of HITs that the viewer is not still to adjudicate; `column` names the HIT."""
    if not wanted.worker:
        return rows
    hits = Hit.objects.filter(assignments__worker__in=project.workers_called(wanted.worker)).distinct()
    return rows.exclude(**{f"{column}__in": [hit.pk for hit in gold_looks.hidden_among(hits, viewer)]})


class AssignmentViewSet(ResourceViewSet):
    """The assignments of a project."""

    serializer_class = AssignmentSerializer

    def get_queryset(self) -> Any:
        rows = batch_progress.work_of(self.project).select_related("batch", "hit")
        return rows.defer("draft", "hit__payload")

    def prepare(self, rows: list[Any]) -> list[Any]:
        return with_answers(self.project, rows, self.request.user)

    @operation(query=batch_progress.AssignmentFilter)
    def list(self, wanted: batch_progress.AssignmentFilter) -> Any:
        """List the assignments of a project under pseudonyms, with their responses.

        By worker without those of HITs that you are still to adjudicate.
        """
        rows = wanted.narrow(self.project, self.get_queryset())
        return without_hidden(rows, "hit", wanted, self.request.user, self.project)

    @operation()
    def retrieve(self) -> None:
        """One assignment with its response."""
