"""The log of a project: who did what, when and by which door."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.lists import Newest, ProjectList
from annotation.flow import logbook
from annotation.models import AuditEntry
from annotation.pure import roles


class LogFilter(serializers.Serializer):
    """Which lines."""

    act = serializers.CharField(max_length=30, required=False)
    kind = serializers.ChoiceField(choices=sorted(logbook.KINDS), required=False, help_text="Of the object.")
    batch = serializers.CharField(max_length=100, required=False)
    since = serializers.DateField(required=False, help_text="The first day, in UTC.")
    until = serializers.DateField(required=False, help_text="The last day, in UTC.")


class LogLineSerializer(serializers.Serializer):
    """One act. `key` and `name` are its object's; of workers, `name` is the pseudonym."""

    id = serializers.IntegerField(source="entry.pk")
    at = serializers.DateTimeField(source="entry.at")
    person = serializers.CharField(source="who", allow_blank=True, help_text="Empty: nobody did it by hand.")
    via = serializers.ChoiceField(source="entry.via", choices=AuditEntry.Via.choices)
    act = serializers.CharField(source="entry.act")
    kind = serializers.CharField(source="entry.kind")
    key = serializers.CharField(source="entry.key")
    name = serializers.CharField(allow_blank=True)
    batch = serializers.CharField(source="entry.batch", allow_blank=True)
    details = serializers.DictField(source="entry.details")


class Log(ProjectList):
    """The log of a project."""

    serializer_class = LogLineSerializer
    pagination_class = Newest
    act = reads = roles.RUN

    def rows(self) -> Any:
        return logbook.entries(self.project, logbook.Wanted(**self.query(LogFilter)))

    def told(self, rows: list[Any]) -> list[Any]:
        return logbook.told(self.project, rows)

    @extend_schema(operation_id="listLog", parameters=[LogFilter], responses=LogLineSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Who did what, when and how, the latest first; lines are only ever added."""
        return self.listed()
