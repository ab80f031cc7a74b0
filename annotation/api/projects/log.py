"""The audit log of a project."""

from typing import Any

from rest_framework import serializers

from annotation.api.operations import operation
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.projects import audit_log_table
from annotation.models import AuditEntry
from annotation.pure.people import roles


class LogLineSerializer(serializers.Serializer):
    """An action. `key` and `name` are its object's; for workers, `name` is the pseudonym."""

    id = serializers.IntegerField(source="entry.pk")
    at = serializers.DateTimeField(source="entry.at")
    person = serializers.CharField(source="who", allow_blank=True, help_text="Who did it; empty: not a person.")
    via = serializers.ChoiceField(source="entry.via", choices=AuditEntry.Via.choices)
    act = serializers.CharField(source="entry.act")
    kind = serializers.CharField(source="entry.kind")
    key = serializers.CharField(source="entry.key")
    name = serializers.CharField(allow_blank=True)
    batch = serializers.CharField(source="entry.batch", allow_blank=True)
    details = serializers.DictField(source="entry.details")


class LogViewSet(ResourceViewSet):
    """The log of a project."""

    serializer_class = LogLineSerializer
    act = reads = roles.RUN

    def prepare(self, rows: list[Any]) -> list[Any]:
        return audit_log_table.display_rows(self.project, rows)

    @operation(query=audit_log_table.LogFilter, id="listLog")
    def list(self, wanted: audit_log_table.LogFilter) -> Any:
        """List who did what, newest first. Lines are never changed or removed."""
        return audit_log_table.entries(self.project, wanted)
