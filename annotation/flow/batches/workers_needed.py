"""The number of workers that a batch needs, against the number available."""

from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import ngettext

from annotation.models import Project


def lack_of_people(people: int, *, wanted: int) -> list[str]:
    """A warning if fewer workers are available than the HITs need; else empty."""
    if people >= wanted:
        return []
    text = ngettext(
        "This batch needs %(wanted)s worker, and you have %(people)s. HITs stay incomplete until more join.",
        "This batch needs %(wanted)s different workers, and you have %(people)s. HITs stay incomplete until more join.",
        wanted,
    )
    return [text % {"wanted": wanted, "people": people}]


def able_workers(project: Project) -> int:
    """The number of workers who can sign in and work."""
    return project.workers.filter(active=True, user__isnull=False).count()


def largest_group(groups: QuerySet[Any, Any]) -> int:
    """The size of the largest group of rows `.values("group_key")`; 1 without rows."""
    most = groups.order_by().annotate(members=Count("pk")).order_by("-members").first()
    return most["members"] if most else 1
