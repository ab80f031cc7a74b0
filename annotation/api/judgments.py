"""Judgments: every revision of every answer, as JSON or as a file; and those that were made elsewhere, taken in."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import jobs, uploads
from annotation.api.batch_base import BatchList, BatchView
from annotation.api.lists import AnyType, asked
from annotation.api.queued import QueuedSerializer, queued
from annotation.api.reading import FileParser, FormParser
from annotation.api.writing import repeatable
from annotation.downloads import sent
from annotation.flow import exporting, naming
from annotation.flow.judged_items import JudgedItems

BODIES = {
    "multipart/form-data": {
        "type": "object",
        "required": ["file"],
        "properties": {"file": {"type": "string", "format": "binary"}},
    },
    "application/octet-stream": {"type": "string", "format": "binary"},
}


class JudgmentSerializer(serializers.Serializer):
    """One revision of an answer, as files of judgments have it."""

    batch = serializers.CharField()
    assignment = serializers.CharField()
    hit = serializers.CharField()
    dataset = serializers.CharField()
    dataset_sha256 = serializers.CharField()
    item = serializers.IntegerField()
    item_id = serializers.CharField()
    worker = serializers.CharField(help_text="The worker's pseudonym.")
    revision = serializers.IntegerField()
    current = serializers.BooleanField(help_text="Whether it is the last one.")
    answer = serializers.DictField()
    guide_version = serializers.IntegerField()
    accepted_at = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField()
    active_seconds = serializers.FloatField()
    late = serializers.BooleanField()
    surplus = serializers.BooleanField()
    void_reason = serializers.CharField()
    voided = serializers.BooleanField()
    question = serializers.CharField(required=False)
    gold = serializers.ListField(child=serializers.CharField(), required=False, help_text="The gold answers.")
    gold_support = serializers.ListField(child=serializers.IntegerField(), required=False, allow_null=True)
    answerable = serializers.BooleanField(required=False, allow_null=True)
    hops = serializers.IntegerField(required=False)
    shape = serializers.CharField(required=False)
    pair = serializers.CharField(required=False, help_text="Shared by items that belong together, such as twins.")
    score = serializers.DictField(
        child=serializers.FloatField(),
        required=False,
        allow_null=True,
        help_text="The task's measures of this answer against gold, 0 to 1; null where gold does not tell.",
    )

    def to_representation(self, row: Any) -> Any:
        """It is plain already."""
        return row


class JudgmentFilter(serializers.Serializer):
    """Which judgments."""

    since = serializers.DateTimeField(required=False, help_text="Revisions of then or later.")
    worker = serializers.CharField(max_length=64, required=False, help_text="Pseudonym or worker id.")
    ids_only = serializers.BooleanField(required=False, help_text="Leave out what items say, from `question` on.")


class FileFilter(serializers.Serializer):
    """What a file of judgments holds."""

    ids_only = serializers.BooleanField(required=False, help_text="Leave out what items say, from `question` on.")


class Judgments(BatchList):
    """The judgments of a batch."""

    serializer_class = JudgmentSerializer
    parser_classes = [FormParser, FileParser]

    def rows(self) -> Any:
        wish = self.query(JudgmentFilter)
        rows = exporting.revisions_of(self.batch)
        rows = rows.filter(created_at__gte=wish["since"]) if "since" in wish else rows
        if "worker" in wish:
            rows = rows.filter(assignment__worker=naming.worker_named(self.project, wish["worker"]))
        return rows.values("pk", *exporting.FIELDS, exporting.HIT)

    def told(self, rows: list[Any]) -> list[Any]:
        items = None if self.query(JudgmentFilter).get("ids_only") else JudgedItems(self.batch)
        return list(exporting.judgments(self.batch, rows, {}, items))

    @extend_schema(parameters=[JudgmentFilter], responses=JudgmentSerializer(many=True))
    def get(self, request: Request, slug: str, batch: str) -> Response:
        """Every revision of every answer, under pseudonyms."""
        return self.listed()

    @extend_schema(operation_id="importJudgments", request=BODIES, responses={202: QueuedSerializer})
    @repeatable
    def post(self, request: Request, slug: str, batch: str) -> Response:
        """Take in judgments that were made elsewhere: a file of JSON lines, which a job reads, all or nothing.

        Each line has `dataset`, `item` (its place there, from 0), `worker` and `answer`. The same file again changes
        nothing.
        """
        upload = request.data.get("file")
        if not getattr(upload, "size", 0):
            raise ValidationError({"file": [_("The file is empty. Send one with at least one record.")]})
        title = _("Read judgments of %(file)s into %(batch)s") % {"file": upload.name[:100], "batch": self.batch.title}
        arguments = {"batch": self.batch.pk, "path": str(uploads.keep(upload)), "name": upload.name[:100]}
        wish = {"project": self.project, "title": title, "arguments": arguments, "user": request.user}
        return queued(jobs.enqueue("import_judgments", **wish))


class JudgmentsFile(BatchView):
    """All judgments of a batch."""

    content_negotiation_class = AnyType

    @extend_schema(
        operation_id="exportJudgments",
        parameters=[OpenApiParameter("format", str, OpenApiParameter.PATH, enum=sorted(exporting.MEDIA)), FileFilter],
        responses={(200, kind): OpenApiTypes.BINARY for kind in exporting.MEDIA.values()},
    )
    def get(self, request: Request, slug: str, batch: str, format: str) -> HttpResponseBase:
        """Every revision of every answer as a file: `jsonl`, `csv` or `parquet`."""
        if format not in exporting.MEDIA:
            raise Http404
        ids_only = bool(asked(FileFilter, request.query_params).get("ids_only"))
        blocks = exporting.stream_judgments(self.batch, format, ids_only=ids_only)
        return sent(
            request, self.batch, blocks, name=f"{self.batch.slug}-judgments.{format}", kind=exporting.MEDIA[format]
        )
