"""Bridges that people judged different, and the HITs closed because of them, as a Django app behind the engine."""

from django.apps import AppConfig


class BridgesConfig(AppConfig):
    name = "annotation.bridges"

    def ready(self) -> None:
        from annotation import events
        from annotation.bridges.models import BrokenBridge
        from annotation.flow.projects import audit_log

        events.listen_all("annotation.bridges.broken_bridges")
        audit_log.SUBJECTS[BrokenBridge] = lambda row: audit_log.Subject(row.project, "bridge", str(row.pk), row.entity)
