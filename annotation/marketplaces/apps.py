"""Publishing batches on marketplaces, as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from annotation.recruitment import Marketplaces


class MarketplacesConfig(AppConfig):
    name = "annotation.marketplaces"
    verbose_name = _("Marketplaces")

    def ready(self) -> None:
        from annotation import events, recruitment
        from annotation.flow.projects import audit_log
        from annotation.marketplaces.models import Connection

        events.listen_all("annotation.marketplaces.listeners")
        recruitment.register(_published)
        audit_log.SUBJECTS[Connection] = lambda row: audit_log.Subject(row.project, "marketplace", row.pk, row.name)


def _published() -> Marketplaces:
    from annotation.marketplaces.recruitment import PublishingMarketplaces

    return PublishingMarketplaces()
