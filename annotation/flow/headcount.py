"""How many people a batch needs, and how many there are."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import ngettext

from annotation.models import Project


def lack_of_people(people: int, *, wanted: int) -> list[str]:
    """Says so when fewer people may work than the HITs need; else nothing."""
    if people >= wanted:
        return []
    text = ngettext(
        "Needs %(wanted)s worker, you have %(people)s. HITs stay unfinished until more join.",
        "Needs %(wanted)s different workers, you have %(people)s. HITs stay unfinished until more join.",
        wanted,
    )
    return [text % {"wanted": wanted, "people": people}]


def able_workers(project: Project) -> int:
    """How many people can sign in and work."""
    return project.workers.filter(active=True, user__isnull=False).count()


def largest_group(groups: QuerySet[Any, Any]) -> int:
    """How many share the most frequent group key of rows `.values("group_key")`; 1 without rows."""
    most = groups.order_by().annotate(members=Count("pk")).order_by("-members").first()
    return most["members"] if most else 1
