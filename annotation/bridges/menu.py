"""The link to the page of broken bridges."""

from django.utils.translation import gettext_lazy as _

from annotation.discovery import MenuEntry
from annotation.pure.people import roles

BATCHES = [MenuEntry(roles.SEE, "broken-bridges", _("Broken bridges"), "edges different entities closed")]
