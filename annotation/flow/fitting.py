"""Which tasks can ask about the items of datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from random import Random

from annotation.flow.batching import features_of
from annotation.models import Dataset, Item
from annotation.pure.example import Example
from annotation.registry import kinds, task_type
from annotation.tasktype import Features, TaskType

LOOKED_AT = 400  # items at most that are tried one by one; larger datasets are known by their features only


def misfits(datasets: Iterable[Dataset]) -> dict[str, str]:
    """What each task needs that can ask about none of the items, by kind (gettext ids); nothing without datasets."""
    chosen = list(datasets)
    if not chosen:
        return {}
    features, examples = features_of(chosen), _examples(chosen)
    tasks = [(kind, task_type(kind)) for kind, _title in kinds()]
    return {kind: task.needs for kind, task in tasks if not _fits(task, features, examples)}


def _fits(task: TaskType, features: Features, examples: Callable[[], Iterator[Example]] | None) -> bool:
    """Whether the task may ask about some item, with the options that it proposes or with all switches off."""
    if examples is None or not task.fits(features):
        return task.fits(features)
    proposed = task.options(task.suggest(features))
    off = task.options({name: False for name, value in asdict(proposed).items() if value is True})
    wished = [proposed] if off == proposed else [proposed, off]
    return any(task.prepare(one, options, Random(0)) is not None for one in examples() for options in wished)


def _examples(datasets: list[Dataset]) -> Callable[[], Iterator[Example]] | None:
    """Goes through the items, each of which is read once however often that is; None where there are too many."""
    if sum(dataset.size for dataset in datasets) > LOOKED_AT:
        return None
    read: list[Example] = []
    rows = iter(Item.objects.usable().filter(dataset__in=datasets).order_by("pk").iterator(chunk_size=20))

    def examples() -> Iterator[Example]:
        yield from read
        for row in rows:
            read.append(row.example)
            yield read[-1]

    return examples
