"""Groups that a worker has met: an item of the group itself, of one that it is made of, or of one made of it.

Of other batches all count if `Batch.fresh_only`; otherwise those in which workers wrote the batch's questions
(`Batch.source_batches`), so that nobody is asked about their own words.
"""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Assignment, Batch, GroupPart
from annotation.pure.batches import lifecycle

ALIVE_OR_DONE = [lifecycle.ACCEPTED, lifecycle.SUBMITTED]


def closed_groups(worker: int, batch: Batch, groups: Collection[str], *, besides: Q | None = None) -> set[str]:
    """The groups that are closed to the worker in the batch; assignments `besides` do not count."""
    related = _related(groups) if batch.has_group_parts else {}
    wanted = {*groups, *(other for others in related.values() for other in others)}
    rows = Assignment.objects.filter(worker=worker, group_key__in=wanted, state__in=ALIVE_OR_DONE)
    met = set((rows.exclude(besides) if besides else rows).values_list("group_key", "batch_id"))
    counting = {where for where in {where for _group, where in met} if counts_as_met(batch, where)}
    own = {group for group, where in met if where in counting}
    elsewhere = {group for group, where in met if where in counting and where != batch.pk}
    return {group for group in groups if group in own or elsewhere & related.get(group, set())}


def counts_as_met(batch: Batch, where: int) -> bool:
    """Whether a group that the worker met in the batch `where` is closed to them in `batch`."""
    if where == batch.pk:
        return batch.meeting == Batch.Meeting.ONE
    return batch.fresh_only or batch.source_batches.filter(pk=where).exists()


def _related(groups: Collection[str]) -> dict[str, set[str]]:
    """For each of the groups, those that it is made of and those made of it."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = GroupPart.objects.filter(Q(group_key__in=groups) | Q(part_key__in=groups))
    for whole, part in rows.values_list("group_key", "part_key"):
        found[whole].add(part)
        found[part].add(whole)
    return found


def has_met_related(worker: Any, elsewhere: Q, *, group: str = "group_key") -> Q:
    """A condition on HITs: the worker met a group that theirs is made of, or one made of it, in a batch `elsewhere`.

    `worker`, and batches in `elsewhere`, are keys or references from two queries further in; `group` is their column.
    """
    met = Assignment.objects.filter(elsewhere, worker=worker, state__in=ALIVE_OR_DONE)
    parts = GroupPart.objects.filter(group_key=OuterRef(group))
    wholes = GroupPart.objects.filter(part_key=OuterRef(group))
    return Q(Exists(parts.filter(Exists(met.filter(group_key=OuterRef("part_key")))))) | Q(
        Exists(wholes.filter(Exists(met.filter(group_key=OuterRef("group_key")))))
    )


def source_batches(batch: Any) -> QuerySet[Any]:
    """The keys of the batches in which workers wrote the questions of this one, as a subquery."""
    return Batch.source_batches.through.objects.filter(from_batch=batch).values("to_batch")
