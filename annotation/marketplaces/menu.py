"""Links to the pages of marketplaces."""

from django.utils.translation import gettext_lazy as _

from annotation.discovery import BatchTab, MenuEntry
from annotation.models import Batch
from annotation.pure.people import roles


def _is_published(batch: Batch) -> bool:
    return batch.on_marketplace and batch.launched_at is not None


TABS = [BatchTab("batch-marketplace", _("Marketplace"), after="batch-workers", shown=_is_published)]
SETTINGS = [MenuEntry(roles.OWN, "marketplaces", _("Marketplaces"), "mturk aws publish")]
