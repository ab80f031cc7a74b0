"""Which items of its datasets a batch asks about, and in which order: drawn with its seed, the same each time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from random import Random

from django.db import transaction

from annotation.models import Batch, Dataset, Hit, Item, Project
from annotation.registry import task_type

Places = set[tuple[int, int]]  # (dataset, position)


def pick(batch: Batch) -> list[int]:
    """The queue of a launch. Where only unseen items are wanted, drawn under a lock and written down at once.

    So two launches at the same instant share no item: whoever comes second sees what the first one took.
    """
    if not batch.unseen_only:
        return queue(batch)
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
        items = queue(batch)
        Batch.objects.filter(pk=batch.pk).update(picked=items)
    return items


def asked(batch: Batch, datasets: Sequence[Dataset]) -> Places:
    """Where in the datasets the items lie that another batch of the project asks, or asked, in the same task.

    Hidden gold does not count; what a launch under way took does.
    """
    others = Batch.everything.filter(project=batch.project, task=batch.task).exclude(pk=batch.pk)
    hits = Hit.objects.filter(batch__in=others, check_item=False, item__dataset__in=datasets)
    found = set(hits.values_list("item__dataset", "item__position"))
    for picked in others.filter(state=Batch.State.LAUNCHING, picked__isnull=False).values_list("picked", flat=True):
        found |= _places(picked)
    return found


def _places(keys: list[int]) -> Places:
    rows = (Item.every.filter(pk__in=keys[k : k + 500]) for k in range(0, len(keys), 500))
    return {place for some in rows for place in some.values_list("dataset", "position")}


def queue(batch: Batch, datasets: Sequence[Dataset] | None = None) -> list[int]:
    """The chosen items' keys in the order in which they will be offered; seeded.

    `datasets`: instead of the batch's own, for one that is not stored yet.
    """
    held = sorted(batch.datasets.all() if datasets is None else datasets, key=lambda dataset: dataset.slug)
    seen = asked(batch, held) if batch.unseen_only else set()
    taken = _other_purpose(batch)
    chosen: list[int] = []
    singles = _one_of_each_group(batch, held, taken, seen) if takes_singles(batch) else None
    for dataset in held:
        rows = dataset.items.usable().order_by("position").values_list("pk", "group_key", "position")
        free = [pk for pk, group, place in rows if group not in taken and (dataset.pk, place) not in seen]
        free = free if singles is None else [pk for pk in free if pk in singles]
        if batch.sample is not None and batch.sample < len(free):
            free = sorted(Random(f"{batch.seed}/{dataset.slug}").sample(free, batch.sample))
        chosen += free
    Random(f"{batch.seed}/order").shuffle(chosen)
    return chosen


def takes_singles(batch: Batch) -> bool:
    """Whether the batch takes one item of each group only."""
    task = task_type(batch.task)
    return task.single(task.options(batch.options))


def _one_of_each_group(batch: Batch, datasets: Sequence[Dataset], taken: set[str], seen: Places) -> set[int]:
    """One item of each group that is free, drawn from all datasets of the batch together; none of a group seen."""
    members: defaultdict[str, list[int]] = defaultdict(list)
    met: set[str] = set()
    for dataset in datasets:
        for pk, group, place in dataset.items.usable().order_by("position").values_list("pk", "group_key", "position"):
            members[group].append(pk)
            if (dataset.pk, place) in seen:
                met.add(group)
    rng = Random(f"{batch.seed}/singles")
    return {rng.choice(some) for group, some in members.items() if group not in taken | met}


def _other_purpose(batch: Batch) -> set[str]:
    """Groups that a qualification must not share with production, and the other way round."""
    if not batch.disjoint:
        return set()
    others = Hit.objects.filter(batch__project=batch.project).exclude(batch__purpose=batch.purpose)
    return set(others.values_list("group_key", flat=True))
