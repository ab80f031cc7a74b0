"""The link to the page of broken bridges, where there are any."""

from django.utils.translation import gettext_lazy as _

from annotation.bridges.models import BrokenBridge
from annotation.discovery import MenuEntry
from annotation.models import Project
from annotation.pure.people import roles


def _has_some(project: Project) -> bool:
    return BrokenBridge.objects.filter(project=project).exists()


BATCHES = [
    MenuEntry(roles.SEE, "broken-bridges", _("Broken bridges"), "edges different entities closed", shown=_has_some)
]
