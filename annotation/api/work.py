"""Assignments, with the requesters' decisions; responses, every revision, as JSON or as a file, and their import."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation import jobs
from annotation.api.batches.serializers import BatchPartViewSet
from annotation.api.operations import QueuedSerializer, action, operation
from annotation.api.serializers import BINARY, FILE, JSON, ModelResource, posted_file
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.batches import batch_progress
from annotation.flow.data import response_files
from annotation.flow.data.response_columns import JudgedItems
from annotation.flow.lists import ListFilter, worker_setting
from annotation.flow.review import gold_looks, result_files, review_decisions
from annotation.models import Assignment, Hit, Job, Project, User
from annotation.operations import uploads
from annotation.operations.downloads import logged_download
from annotation.pure.batches import lifecycle
from annotation.pure.setting_fields import setting


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


class ResponseSerializer(serializers.Serializer):
    """One revision of a response, as in exported files."""

    batch = serializers.CharField()
    assignment = serializers.CharField()
    hit = serializers.CharField()
    dataset = serializers.CharField()
    dataset_sha256 = serializers.CharField()
    item = serializers.IntegerField()
    item_id = serializers.CharField()
    worker = serializers.CharField(
        allow_null=True, help_text="Null, and gold left out, while the account is still to adjudicate the HIT."
    )
    revision = serializers.IntegerField()
    current = serializers.BooleanField(help_text="Whether it is the latest.")
    answer = serializers.DictField()
    instructions_version = serializers.IntegerField()
    ticket = serializers.IntegerField(
        allow_null=True, help_text="The HIT's place in the queue; null if the worker got it in another way."
    )
    accepted_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField()
    active_seconds = serializers.FloatField()
    late = serializers.BooleanField()
    surplus = serializers.BooleanField()
    exclusion_reason = serializers.CharField()
    excluded = serializers.BooleanField()
    question = serializers.CharField(required=False)
    gold = serializers.ListField(child=serializers.CharField(), required=False, help_text="The gold answers.")
    gold_set = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="The answers of a question with several, each with its aliases.",
    )
    as_of = serializers.CharField(required=False, help_text="The date for which the question is asked; empty: none.")
    gold_support = serializers.ListField(child=serializers.IntegerField(), required=False, allow_null=True)
    answerable = serializers.BooleanField(required=False, allow_null=True)
    hops = serializers.IntegerField(required=False)
    shape = serializers.CharField(required=False)
    pair = serializers.CharField(required=False, help_text="Shared by items that belong together, such as twins.")
    score = serializers.DictField(
        child=serializers.FloatField(),
        required=False,
        allow_null=True,
        help_text="The task's measures of this response against gold, 0 to 1; null without gold.",
    )
    experiment = serializers.CharField(required=False, help_text="Of an arm: the experiment in which it was drawn.")
    arm_position = serializers.IntegerField(required=False, help_text="The arm's position in the worker's order.")
    draw_seed = serializers.IntegerField(required=False, help_text="Of the worker's draw.")

    arm = serializers.CharField(
        required=False, help_text="Of a batch with suggestions: blind or suggested; empty: the item has no suggestion."
    )
    suggestion = serializers.DictField(
        required=False, allow_null=True, help_text="The model's answer that the page started with; null: none."
    )

    def to_representation(self, row: Any) -> Any:
        """The row, which is plain already."""
        return row


@dataclass(frozen=True)
class FileFilter(ListFilter):
    """What the file contains."""

    order = ("pk",)

    ids_only: bool = setting(False, help="Leave out the items' content, from `question` on.")


@dataclass(frozen=True)
class ExportFilter(FileFilter):
    """What the file contains, and how."""

    long: bool = setting(False, help="Of ratings: a row for each criterion and element.")


@dataclass(frozen=True)
class ResponseFilter(FileFilter):
    """Filters of responses."""

    since: datetime | None = setting(None, help="Revisions of then or later.", column="created_at__gte")
    worker: str = worker_setting("assignment__worker__in")


HIDDEN = ("gold", "gold_set", "gold_support", "answerable", "score", *response_files.DRAW, *response_files.ARM)


def _blind(row: JSON, hidden: Collection[str]) -> JSON:
    """The row, without name, draw, arm and gold if its HIT is hidden."""
    if row["hit"] not in hidden:
        return row
    return {name: None if name == "worker" else value for name, value in row.items() if name not in HIDDEN}


class BatchResponseViewSet(BatchPartViewSet):
    """Responses of a batch."""

    serializer_class = ResponseSerializer

    def prepare(self, rows: list[Any]) -> list[Any]:
        items = JudgedItems(self.batch, ids_only=self.query.ids_only)
        fields = [tuple(row[name] for name in response_files.FIELDS) for row in rows]
        found = response_files.responses(self.batch, fields, {}, items)
        hits = Hit.objects.filter(pk__in={row["assignment__hit_id"] for row in rows})
        hidden = {hit.public_id for hit in gold_looks.hidden_among(hits, self.request.user)}
        return [_blind(row, hidden) | {"answer": row["answer"].value} for row in found]

    @operation(query=ResponseFilter)
    def list(self, wanted: ResponseFilter) -> Any:
        """List every revision of every response, under pseudonyms.

        By worker without those to HITs that you are still to adjudicate.
        """
        rows = wanted.narrow(self.project, response_files.revisions_of(self.batch))
        rows = without_hidden(rows, "assignment__hit", wanted, self.request.user, self.project)
        return rows.annotate(**response_files.STORED).values("pk", *response_files.FIELDS)

    @operation(takes=FILE, gives=QueuedSerializer, id="importResponses")
    def create(self) -> Job:
        """Import responses that were collected elsewhere from a file of JSON lines, in a job. All or nothing.

        Each line has `dataset`, `item` (position, from 0), `worker` and `answer`. The same file again changes nothing.
        """
        file = posted_file(self.request.data, _("The file is empty. Send one with at least one record."))
        name = file.name[:100]
        title = _("Import responses from %(file)s into %(batch)s") % {"file": name, "batch": self.batch.title}
        arguments = {"batch": self.batch.pk, "path": str(uploads.keep(file)), "name": name}
        terms: JSON = {"project": self.project, "title": title, "arguments": arguments, "user": self.request.user}
        return jobs.enqueue("import_responses", **terms)

    @action(
        "get",
        "export/<slug:format>",
        detail=False,
        query=ExportFilter,
        choices={"format": result_files.MEDIA},
        files=dict.fromkeys(result_files.MEDIA.values(), BINARY),
        id="exportResponses",
    )
    def export(self, wanted: ExportFilter) -> HttpResponseBase:
        """Every revision of every response as a file: `jsonl`, `csv` or `parquet`.

        `qrels`: what ratings of each passage add up to, as TREC has relevance judgments: `topic 0 document grade`.
        For who is still to adjudicate HITs of the batch, this opens all of them, which is logged.
        """
        gold_looks.look_at_all(self.batch, self.request.user)
        format = self.kwargs["format"]
        blocks = result_files.stream(self.batch, format, **vars(wanted))
        name = f"{self.batch.slug}-responses.{format}"
        return logged_download(self.request, self.batch, blocks, name=name, kind=result_files.MEDIA[format])
