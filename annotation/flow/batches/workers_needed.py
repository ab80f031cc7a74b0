"""The number of workers that a batch needs, against the number available."""

from typing import Any

from django.db.models import Count, F, Max, QuerySet, Sum
from django.db.models.functions import Now
from django.utils.translation import ngettext

from annotation.models import Batch, Invite, Project


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
    return project.workers.with_account().count()


def places_missing(project: Project) -> int:
    """How many more people the open batches need, beyond those that open invite links have places for."""
    open_ones = Batch.objects.filter(project=project, state=Batch.State.OPEN, purpose=Batch.Purpose.PRODUCTION)
    for_all = open_ones.filter(on_marketplace=False, by_program=False, workers=None)
    most: int = for_all.aggregate(most=Max("assignments_per_hit", default=0))["most"]
    links = project.invites.filter(role=Invite.Role.WORKER, revoked_at__isnull=True, expires_at__gt=Now())
    invited: int = links.aggregate(free=Sum(F("places") - F("used"), default=0))["free"]
    return max(0, most - able_workers(project) - invited)


def largest_group(groups: QuerySet[Any, Any]) -> int:
    """The size of the largest group of rows `.values("group_key")`; 1 without rows."""
    most = groups.order_by().annotate(members=Count("pk")).order_by("-members").first()
    return most["members"] if most else 1
