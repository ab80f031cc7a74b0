"""The number of workers that a batch needs, against the number available."""

import math
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Sum
from django.db.models.functions import Now
from django.utils.translation import ngettext

from annotation.models import Batch, Hit, Invite, Project


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


def by_limit(batch: Batch, hits: int) -> int:
    """How many workers so many HITs need if none may have more than the batch's limit; 0 without one."""
    return math.ceil(hits * batch.assignments_per_hit / batch.most_per_worker) if batch.most_per_worker else 0


def able_workers(project: Project) -> int:
    """The number of workers who can sign in and work."""
    return project.workers.with_account().count()


def missing_by_batch(project: Project) -> dict[int, int]:
    """How many more workers each open batch needs to complete a HIT, by its key, in two queries for all batches.

    Only batches that lack some are in it. Those with workers of their own, of a marketplace or of a round, and those
    without an open assignment (all responses may be imported), never do.
    """
    open_ones = Batch.objects.filter(project=project, state=Batch.State.OPEN, purpose=Batch.Purpose.PRODUCTION)
    open_ones = open_ones.filter(Exists(Hit.objects.open().filter(batch=OuterRef("pk"), check_item=False)))
    for_all = open_ones.filter(on_marketplace=False, by_program=False, workers=None)
    wanted = dict(for_all.values_list("pk", "assignments_per_hit"))
    people = able_workers(project)
    return {key: each - people for key, each in wanted.items() if each > people}


def places_missing(project: Project) -> int:
    """How many more people the open batches need, beyond those that open invite links have places for."""
    missing = max(missing_by_batch(project).values(), default=0)
    links = project.invites.filter(role=Invite.Role.WORKER, revoked_at__isnull=True, expires_at__gt=Now())
    invited: int = links.aggregate(free=Sum(F("places") - F("used"), default=0))["free"]
    return max(0, missing - invited)


def largest_group(groups: QuerySet[Any, Any]) -> int:
    """The size of the largest group of rows `.values("group_key")`; 1 without rows."""
    most = groups.order_by().annotate(members=Count("pk")).order_by("-members").first()
    return most["members"] if most else 1
