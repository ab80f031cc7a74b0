"""Webhooks as a Django app behind the engine."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "annotation.webhooks"

    def ready(self) -> None:
        from annotation import events
        from annotation.flow.projects import audit_log
        from annotation.webhooks.models import Webhook

        events.listen_all("annotation.webhooks.listeners")
        audit_log.SUBJECTS[Webhook] = lambda row: audit_log.Subject(row.project, "webhook", row.public_id, row.note)
