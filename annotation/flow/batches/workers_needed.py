"""The number of workers that a batch needs, against the number available."""

import math
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Now
from django.utils.translation import ngettext

from annotation.flow.batches import cached_figures
from annotation.models import Assignment, Batch, Hit, Invite, Project


def lack_of_people(people: int, *, wanted: int) -> list[str]:
    """A warning if fewer workers are available than the HITs need; else empty."""
    return [in_words(people, wanted=wanted)] if people < wanted else []


def in_words(people: int, *, wanted: int) -> str:
    """How many workers are needed, and how many there are."""
    text = ngettext(
        "You need %(wanted)s worker and have %(people)s.", "You need %(wanted)s workers and have %(people)s.", wanted
    )
    return text % {"wanted": wanted, "people": people}


def by_limit(batch: Batch, hits: int) -> int:
    """How many workers so many HITs need if none may have more than the batch's limit; 0 without one."""
    return math.ceil(hits * batch.most_assignments / batch.most_per_worker) if batch.most_per_worker else 0


def able_workers(project: Project) -> int:
    """The number of workers who can sign in and work."""
    return project.workers.with_account().count()


def missing_by_batch(project: Project) -> dict[int, int]:
    """How many more workers each open batch needs to complete a HIT, by its key, in three queries for all batches.

    Only batches that lack some are in it. Those with workers of their own, of a marketplace or of a round never do.
    """
    open_ones = project.batches.filter(state=Batch.State.OPEN, purpose=Batch.Purpose.PRODUCTION)
    wanted = still_wanted(open_ones.filter(on_marketplace=False, by_program=False, workers=None))
    people = able_workers(project)
    return {key: each - people for key, each in wanted.items() if each > people}


def still_wanted(batches: QuerySet[Batch]) -> dict[int, int]:
    """How many workers each batch needs for its open HITs; without batches that have none.

    Responses by people without an account, which were imported, are not asked for again; in a large batch, where
    counting them takes long, they are.
    """
    active = with_open_hits(batches).values_list("pk", "assignments_per_hit", "size")
    wanted = {pk: assignments for pk, assignments, _ in active}
    # By key: with a condition on the size, PostgreSQL counts in large batches before it leaves them out.
    small = [pk for pk, _, size in active if size < cached_figures.LARGE]
    imported = Assignment.objects.submitted().filter(worker__user=None).order_by()
    of_hit = imported.filter(hit=OuterRef("pk")).values("hit").annotate(n=Count("pk")).values("n")
    counted = Coalesce(Subquery(of_hit), 0) if imported.filter(batch__in=small).exists() else 0
    rows = Hit.objects.open().filter(batch__in=small, check_item=False).order_by().values("batch")
    return wanted | dict(rows.annotate(most=Max(F("wanted") - counted)).values_list("batch", "most"))


def with_open_hits(batches: QuerySet[Batch], or_else: Q | None = None) -> QuerySet[Batch]:
    """Those of the batches that have HITs for workers, or fulfil the other condition.

    The first HIT is looked for in the queue's order: by `Exists`, PostgreSQL reads every HIT of a batch that is done.
    """
    queue = Hit.objects.open().filter(batch=OuterRef("pk"), check_item=False).order_by("ticket").values("pk")
    return batches.alias(queued=Subquery(queue[:1])).filter(Q(queued__isnull=False) | (or_else or Q()))


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
