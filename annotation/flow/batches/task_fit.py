"""Which tasks can use the items of datasets."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from random import Random

from annotation.flow.batches.batch_launch import features_of
from annotation.models import Dataset, Item
from annotation.pure.data.example import Example
from annotation.pure.setting_fields import settings_of
from annotation.registry import kinds, task_type
from annotation.tasktype import Features, TaskType, capabilities

LOOKED_AT = 400  # maximum of items tried one by one; larger datasets are judged by their features only


def misfits(datasets: Iterable[Dataset]) -> dict[str, str]:
    """{kind: `needs` as a gettext id} of the tasks that can use none of the items; empty without datasets."""
    chosen = list(datasets)
    if not chosen:
        return {}
    features, examples = features_of(chosen), _examples(chosen)
    tasks = [(kind, task_type(kind)) for kind, _title in kinds()]
    unasked = {kind for kind, task in tasks if task.of_ablations and features.ablated is False}
    return {kind: task.needs for kind, task in tasks if kind in unasked or not _fits(task, features, examples)}


def misfit(datasets: Iterable[Dataset], kind: str) -> str:
    """What the task needs if it can use none of the items, as a gettext id; "" if it can, or without datasets."""
    chosen = list(datasets)
    task, features = task_type(kind), features_of(chosen)
    fits = not chosen or _fits(task, features, _examples(chosen))
    return task.needs if (chosen and task.of_ablations and features.ablated is False) or not fits else ""


def _fits(task: TaskType, features: Features, examples: Callable[[], Iterator[Example]] | None) -> bool:
    """Whether the task can use any item, with its default options or with all switches off.

    A task that has no default options is judged once it has some (option_fit).
    """
    if any(one.required for one in settings_of(task.Options).values()):
        return True
    if examples is None or not capabilities.fits(task, features):
        return capabilities.fits(task, features)
    proposed = task.options(capabilities.suggest(task, features))
    off = task.options({name: False for name, value in asdict(proposed).items() if value is True})
    candidates = [proposed] if off == proposed else [proposed, off]
    return any(task.prepare(one, options, Random(0)) is not None for one in examples() for options in candidates)


def _examples(datasets: list[Dataset]) -> Callable[[], Iterator[Example]] | None:
    """An iterator over the items that reads each one once however often it runs; None if there are too many."""
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
