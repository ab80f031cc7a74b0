"""What the engine finds of this app: the page of broken bridges, its link where there are any, and the sweep."""

from django.urls import path
from django.utils.translation import gettext_lazy as _

from annotation.bridges import broken_bridges, views
from annotation.bridges.models import BrokenBridge
from annotation.discovery import MenuEntry
from annotation.models import Project
from annotation.pure.people import roles

ALL = "projects/<slug:slug>/bridges/"


def _has_some(project: Project) -> bool:
    return BrokenBridge.objects.filter(project=project).exists()


PAGES = [
    path(ALL, views.broken_bridges, name="broken-bridges"),
    path(f"{ALL}<int:pk>/undo/", views.undo, name="broken-bridge-undo"),
]
BATCHES = [
    MenuEntry(roles.SEE, "broken-bridges", _("Broken bridges"), "edges different entities closed", shown=_has_some)
]
ERRANDS = [broken_bridges.close_due]
