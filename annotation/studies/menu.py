"""Links to the pages of studies."""

from django.utils.translation import gettext_lazy as _

from annotation.discovery import MenuEntry
from annotation.pure.people import roles

BATCHES = [MenuEntry(roles.SEE, "studies", _("Studies"), "paper replication published figures")]
