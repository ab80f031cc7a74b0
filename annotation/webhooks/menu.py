"""Links to the pages of webhooks."""

from django.utils.translation import gettext_lazy as _

from annotation.discovery import MenuEntry
from annotation.pure.people import roles

SETTINGS = [MenuEntry(roles.OWN, "webhooks", _("Webhooks"), "events notify")]
