"""The selection of a batch's items: drawn with its seed, the same each time."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter, itemgetter
from random import Random
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow.batches.confidence_draw import Confidences, confidences_of
from annotation.models import Batch, Dataset, Hit, Item, Project
from annotation.pure.statistics.random_draws import drawn_by_confidence
from annotation.registry import task_type
from annotation.tasktype import capabilities

Places = set[tuple[int, int]]  # (dataset, position)
LeftOut = Counter[tuple[str, str]]  # (dataset's name, reason): number of items left out


@dataclass(frozen=True, slots=True)
class Unit:
    """Items that are drawn together, and why they cannot be drawn ("" if they can)."""

    keys: tuple[int, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Selection:
    """Keys of the selected items in the order of the queue, and the items left out.

    Of a draw by confidence also each item's `chances`, by what it was drawn, and a `problem` that stops a launch.
    """

    keys: list[int]
    by_dataset: dict[str, int]  # number of items by the dataset's name
    left_out: LeftOut
    chances: Mapping[int, float] = field(default_factory=dict)
    by: Confidences | None = None
    problem: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def requested(self) -> int:
        """The number of items that were asked for."""
        return len(self.keys) + self.left_out.total()


def select_and_reserve(batch: Batch) -> Selection:
    """Select the items of a launch. For batches of unseen items, under the project's lock and stored at once.

    Otherwise two launches at the same time could draw the same items.
    """
    if not batch.unseen_only:
        return select(batch)
    with transaction.atomic():
        # The project's row, because the other launch is of another batch.
        Project.objects.select_for_update(no_key=True).get(pk=batch.project_id)
        chosen = select(batch)
        Batch.objects.filter(pk=batch.pk).update(picked=chosen.keys)
    return chosen


def used_places(batch: Batch, datasets: Sequence[Dataset]) -> Places:
    """Positions of the items that other batches of the project ask, or asked, about in the same task.

    Includes those reserved by a launch under way, but not hidden gold.
    """
    others = Batch.everything.filter(project=batch.project, task=batch.task).exclude(pk=batch.pk)
    hits = Hit.objects.filter(batch__in=others, check_item=False, item__dataset__in=datasets)
    found = set(hits.values_list("item__dataset", "item__position"))
    for picked in others.filter(state=Batch.State.LAUNCHING, picked__isnull=False).values_list("picked", flat=True):
        found |= _places(picked or [])
    return found


def _places(keys: list[int]) -> Places:
    rows = (Item.every.filter(pk__in=keys[k : k + 500]) for k in range(0, len(keys), 500))
    return {place for some in rows for place in some.values_list("dataset", "position")}


def selected_keys(batch: Batch) -> list[int]:
    """The keys of the selection."""
    return select(batch).keys


def select(batch: Batch, datasets: Sequence[Dataset] | None = None) -> Selection:
    """The items that a launch now would select; seeded.

    `datasets`: instead of the batch's own, for an unsaved one.
    """
    held = sorted(batch.datasets.all() if datasets is None else datasets, key=lambda dataset: dataset.slug)
    sure = confidences_of(batch) if batch.is_by_confidence else None
    if isinstance(sure, str):
        return Selection([], {}, Counter(), problem=sure)
    found = _units(batch, held)
    if sure:
        found = [(dataset, [_with_confidence(unit, sure) for unit in units]) for dataset, units in found]
    chosen: list[int] = []
    chances: dict[int, float] = {}
    by_dataset: dict[str, int] = {}
    left_out: LeftOut = Counter()
    no_more = _("The dataset has no more groups.") if takes_groups(batch) else _("The dataset has no more items.")
    for dataset, units in found:
        free = [unit for unit in units if not unit.why]
        if sure:
            of = {unit.keys[0]: sure.by_item[unit.keys[0]] for unit in free}
            seed = Random(f"{batch.seed}/{dataset.slug}").getrandbits(64)
            drawn = drawn_by_confidence(of, batch.sample or 0, seed)
            chances |= drawn
            free = [unit for unit in free if unit.keys[0] in drawn]
        elif batch.sample is not None and batch.sample < len(free):
            some = Random(f"{batch.seed}/{dataset.slug}").sample(free, batch.sample)
            free = sorted(some, key=attrgetter("keys"))
        keys = [key for unit in free for key in unit.keys]
        chosen += keys
        by_dataset[dataset.slug] = len(keys)
        missing = (len(units) if batch.sample is None else batch.sample) - len(free)
        kept_out = [unit for unit in units if unit.why]
        left_out += _missing(dataset, kept_out, missing, seed=batch.seed, no_more=no_more)
    Random(f"{batch.seed}/order").shuffle(chosen)
    selection = Selection(chosen, by_dataset, left_out, chances, sure)
    return _checked(selection, sure, [unit for _dataset, units in found for unit in units]) if sure else selection


def _with_confidence(unit: Unit, sure: Confidences) -> Unit:
    return unit if unit.why or unit.keys[0] in sure.by_item else replace(unit, why=sure.lacking)


def _checked(selection: Selection, sure: Confidences, units: Sequence[Unit]) -> Selection:
    """The selection with what stops or doubts a draw by confidence."""
    held = sum(bool(unit.why) and unit.keys[0] in sure.by_item for unit in units)
    if held:
        text = _(
            "Other batches use or reserve %(n)s of the items for which %(model)s has a confidence, so a sample of the "
            "others would not stand for all. Draw uniformly, or change the settings that keep them out."
        )
        return Selection([], {}, Counter(), problem=text % {"model": sure.model.name, "n": held})
    if selection.keys and min(selection.chances.values()) == 1:
        text = _("The sample takes all items, so nothing is drawn by confidence. Ask for fewer, or draw uniformly.")
        return Selection([], {}, Counter(), problem=text)
    lacking = sum(unit.why == sure.lacking for unit in units)
    text = _("%(model)s has no confidence for %(n)s of %(all)s items, so these cannot be drawn and are in no estimate.")
    told = text % {"model": sure.model.name, "n": lacking, "all": len(units)}
    return replace(selection, warnings=(told,) if lacking else ())


def _missing(dataset: Dataset, kept_out: list[Unit], missing: int, *, seed: int, no_more: str) -> LeftOut:
    """Reasons for `missing` units: a sample of the units left out, as many as would have filled the selection."""
    some = Random(f"{seed}/{dataset.slug}/missing").sample(kept_out, min(missing, len(kept_out)))
    found: LeftOut = Counter()
    for unit in some:
        found[dataset.slug, unit.why] += len(unit.keys)
    if missing > len(some):
        found[dataset.slug, no_more] = missing - len(some)
    return found


def _units(batch: Batch, datasets: Sequence[Dataset]) -> list[tuple[Dataset, list[Unit]]]:
    """The units to draw from each dataset, in its order: items, one item of each group, or groups."""
    seen = used_places(batch, datasets) if batch.unseen_only else set()
    held = held_groups(batch)
    groups: defaultdict[str, list[tuple[int, int, int, bool]]] = defaultdict(list)  # dataset, position, key, seen
    for dataset in datasets:
        for pk, group, place in dataset.items.usable().order_by("position").values_list("pk", "group_key", "position"):
            groups[group].append((dataset.pk, place, pk, (dataset.pk, place) in seen))
    found: defaultdict[int, list[tuple[int, Unit]]] = defaultdict(list)
    rng = Random(f"{batch.seed}/singles") if takes_singles(batch) else None
    for group, items in groups.items():
        why = held.get(group, "")
        if rng is not None:
            why = why or (_seen() if any(is_seen for *_place, is_seen in items) else "")
            items = [items[0] if why else rng.choice(items)]
        for source, place, key, is_seen in items:
            found[source].append((place, Unit((key,), why or (_seen() if is_seen else ""))))
    if takes_groups(batch):
        found = _whole_groups(
            found, {key: group for group, items in groups.items() for _d, _place, key, _is_seen in items}
        )
    return [(dataset, [unit for _place, unit in sorted(found[dataset.pk], key=itemgetter(0))]) for dataset in datasets]


def _whole_groups(
    found: Mapping[int, list[tuple[int, Unit]]], group_of: Mapping[int, str]
) -> defaultdict[int, list[tuple[int, Unit]]]:
    """The items of each group as one unit, at the position of its first; one forbidden item rules out the group."""
    made: defaultdict[int, list[tuple[int, Unit]]] = defaultdict(list)
    for source, units in found.items():
        members: defaultdict[str, list[tuple[int, Unit]]] = defaultdict(list)
        for place, unit in sorted(units, key=itemgetter(0)):
            members[group_of[unit.keys[0]]].append((place, unit))
        for some in members.values():
            keys = tuple(key for _place, unit in some for key in unit.keys)
            made[source].append((some[0][0], Unit(keys, next((unit.why for _place, unit in some if unit.why), ""))))
    return made


def _seen() -> str:
    return _("Used by another batch of this task.")


def takes_singles(batch: Batch) -> bool:
    """Whether the batch takes only one item of each group."""
    task = task_type(batch.task)
    return capabilities.single(task, task.options(batch.options))


def takes_groups(batch: Batch) -> bool:
    """Whether the batch draws whole groups, so that its sample counts groups."""
    task = task_type(batch.task)
    return capabilities.samples_groups(task, task.options(batch.options))


def held_groups(batch: Batch) -> dict[str, str]:
    """Groups that qualification and production must not share, and the batch that reserves each."""
    if not batch.disjoint:
        return {}
    others = Batch.everything.filter(project=batch.project_id).exclude(purpose=batch.purpose)
    in_round, in_batch = _("Reserved for the qualification round %(name)s."), _("Reserved for the batch %(name)s.")
    holders = {
        pk: (in_round if purpose == Batch.Purpose.QUALIFICATION else in_batch) % {"name": slug}
        for pk, slug, purpose in others.values_list("pk", "slug", "purpose")
    }
    first: dict[str, int] = {}
    for group, pk in Hit.objects.filter(batch__in=others).values_list("group_key", "batch"):
        first[group] = min(pk, first.get(group, pk))
    return {group: holders[pk] for group, pk in first.items()}


def rows_of(left_out: LeftOut) -> list[dict[str, Any]]:
    """Numbers of items left out by reason, as JSON, largest first."""
    rows = sorted(left_out.items(), key=lambda row: (-row[1], row[0]))
    return [{"dataset": dataset, "items": items, "why": why} for (dataset, why), items in rows]


def nothing_to_ask(left_out: LeftOut) -> str:
    """The message that a launch would have no HITs, and why."""
    why = dict.fromkeys(row["why"] for row in rows_of(left_out))
    return " ".join([_("This task can use none of these items, so there is nothing to launch."), *why])
