"""Batches that nobody has seen yet: what a launch would bring, how its items would look, changing one's mind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow import batching, choosing, headcount
from annotation.flow.continuing import Remaining, remaining
from annotation.flow.refusal import Refused
from annotation.models import Batch, Dataset, Hit, Item, Project, User, Worker
from annotation.registry import task_type

LOOK_AHEAD = 20  # items read at a time while looking for those that a task can ask about


@dataclass(frozen=True, slots=True)
class Plan:
    """What a launch would ask of people. `people` may work; `share` is one person's part of the hours."""

    hits: int
    judgments: int
    hours: float
    people: int
    share: float
    by_dataset: tuple[tuple[str, int], ...]
    doubts: tuple[str, ...]


def plan(
    project: Project,
    *,
    datasets: Sequence[Dataset],
    sample: int | None,
    assignments_per_hit: int,
    expected_seconds: int,
    meeting: str,
    workers: Sequence[Worker] = (),
    singles: bool = False,
    unseen: Sequence[Remaining] | None = None,
) -> Plan:
    """The consequences of a batch with these settings, before any of it is written; `singles`: one item of a group.

    `unseen`: what is left of the datasets, for a batch that asks only what no other one asked about.
    """
    free = [(d.slug, _groups(d) if singles else _usable(d)) for d in datasets]
    if unseen is not None:
        free = [(row.dataset.slug, row.left) for row in unseen]
    by_dataset = tuple((slug, size if sample is None else min(sample, size)) for slug, size in free)
    hits = sum(count for _slug, count in by_dataset)
    people = sum(w.active for w in workers) if workers else headcount.able_workers(project)
    together = 1
    if meeting == Batch.Meeting.ONE and not singles:
        together = headcount.largest_group(Item.objects.filter(dataset__in=datasets).values("group_key"))
    hours = hits * assignments_per_hit * expected_seconds / 3600
    return Plan(
        hits=hits,
        judgments=hits * assignments_per_hit,
        hours=hours,
        people=people,
        share=hours / max(1, people),
        by_dataset=by_dataset,
        doubts=tuple(headcount.lack_of_people(people, wanted=assignments_per_hit * together)),
    )


def _groups(dataset: Dataset) -> int:
    return dataset.items.usable().values("group_key").distinct().count()


def _usable(dataset: Dataset) -> int:
    return dataset.items.usable().count() if dataset.stand else dataset.size


def plan_of(batch: Batch) -> Plan:
    """The plan of a stored batch."""
    return plan(
        batch.project,
        datasets=list(batch.datasets.order_by("slug")),
        sample=batch.sample,
        assignments_per_hit=batch.assignments_per_hit,
        expected_seconds=batch.expected_seconds,
        meeting=batch.meeting,
        workers=list(batch.workers.all()),
        singles=batching.takes_singles(batch),
        unseen=remaining(batch) if batch.unseen_only else None,
    )


@transaction.atomic
def change_draft(
    batch: Batch,
    *,
    datasets: Sequence[Dataset],
    options: dict[str, Any],
    guide: str,
    workers: Sequence[Worker] = (),
    user: User | None = None,
    **settings: Any,
) -> Batch:
    """Write other settings over a draft's. Raises Refused once it is launched, or for a name that is taken."""
    try:
        task_type(settings["task"]).options(options)
        with transaction.atomic():
            draft = Batch.objects.filter(pk=batch.pk, state=Batch.State.DRAFT)
            changed = draft.update(options=options, **settings)
    except ValueError as unfit:
        raise Refused(str(unfit)) from None
    except IntegrityError:
        raise Refused(batching.name_taken(settings["slug"])) from None
    if not changed:
        raise Refused(_("This batch was launched meanwhile, so its settings stay as they were."))
    batch.refresh_from_db()
    batch.datasets.set(datasets)
    batch.workers.set(workers)
    batching.change_guide(batch, guide, user=user)
    return batch


def samples(batch: Batch, count: int = 3) -> list[Hit]:
    """The first HITs as people will see them; those of a draft are made on the spot and not stored."""
    if batch.launched_at is not None:
        return list(batch.hits.filter(check_item=False).select_related("item__dataset").order_by("pk")[:count])
    return list(islice(_imagined(batch), count))


def _imagined(batch: Batch) -> Iterator[Hit]:
    keys = choosing.queue(batch)
    for start in range(0, len(keys), LOOK_AHEAD):
        yield from batching.hits_of(batch, keys[start : start + LOOK_AHEAD], ticket=start)


def sample_of(batch: Batch, item_id: int) -> Hit | None:
    """The HIT of one item, stored or imagined; None when the batch does not ask about it."""
    if batch.launched_at is not None:
        return batch.hits.filter(item__in=Item.every.filter(pk=item_id)).first()  # no row, whatever the number
    held = Item.objects.filter(pk=item_id, dataset__batches=batch)
    return next(batching.hits_of(batch, [item_id], ticket=0), None) if held.exists() else None
