"""Links to the pages of dry runs."""

from django.utils.translation import gettext_lazy as _

from annotation.discovery import BatchTab

TABS = [BatchTab("dry_runs", _("Dry run"), after="report", shown=lambda batch: True)]
