"""Batches that nobody has seen yet: what a launch would bring, how its items would look, changing one's mind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow import batching, choosing, headcount
from annotation.flow.hit_counts import HitCount, look
from annotation.flow.refusal import Refused
from annotation.models import Batch, Dataset, Hit, Item, User, Worker
from annotation.registry import task_type

LOOK_AHEAD = 20  # items read at a time while looking for those that a task can ask about


@dataclass(frozen=True, slots=True)
class Plan:
    """What a launch would ask of people. `people` may work; `share` is one person's part of the hours."""

    count: HitCount
    assignments_per_hit: int
    expected_seconds: int
    people: int
    left_out: tuple[dict[str, Any], ...]
    doubts: tuple[str, ...]

    @property
    def hits(self) -> int:
        return self.count.hits

    @property
    def judgments(self) -> int:
        return self.hits * self.assignments_per_hit

    @property
    def judgments_between(self) -> tuple[int, int]:
        return self.count.low * self.assignments_per_hit, self.count.high * self.assignments_per_hit

    @property
    def hours(self) -> float:
        return self.judgments * self.expected_seconds / 3600

    @property
    def hours_between(self) -> tuple[float, ...]:
        return tuple(judgments * self.expected_seconds / 3600 for judgments in self.judgments_between)

    @property
    def share(self) -> float:
        return self.hours / max(1, self.people)


def plan(
    batch: Batch, count: HitCount, *, datasets: Sequence[Dataset] | None = None, workers: Sequence[Worker] = ()
) -> Plan:
    """The consequences of launching a draft, stored or not, whose HITs were counted."""
    people = sum(w.active for w in workers) if workers else headcount.able_workers(batch.project)
    held = batch.datasets.all() if datasets is None else datasets
    together = 1
    if batch.meeting == Batch.Meeting.ONE and not choosing.takes_singles(batch):
        together = headcount.largest_group(Item.objects.filter(dataset__in=held).values("group_key"))
    return Plan(
        count=count,
        assignments_per_hit=batch.assignments_per_hit,
        expected_seconds=batch.expected_seconds,
        people=people,
        left_out=tuple(choosing.rows_of(count.left_out)),
        doubts=tuple(headcount.lack_of_people(people, wanted=batch.assignments_per_hit * together)),
    )


def plan_of(batch: Batch) -> Plan:
    """The plan of a stored batch."""
    return plan(batch, look(batch), workers=list(batch.workers.all()))


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
