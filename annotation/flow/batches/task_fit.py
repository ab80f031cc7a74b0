"""Which tasks can use the items of datasets, and whether the items have what a task's options name."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from random import Random
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.setting_values import Problems, sentence
from annotation.models import Batch, Dataset, Item
from annotation.pure.data.example import Example
from annotation.pure.setting_fields import settings_of
from annotation.pure.text.named_entities import NO_ANSWER
from annotation.registry import kinds, task_type
from annotation.tasktype import Features, Fielded, TaskType, capabilities

LOOKED_AT = 400  # maximum of items tried one by one; larger datasets are judged by their features only


def features_of(datasets: Iterable[Dataset]) -> Features:
    """Features that any of the datasets has."""
    datasets = list(datasets)
    held = [dataset.features for dataset in datasets]
    return Features(
        yes_no=any(f.get("yes_no") for f in held),
        unanswerable=any(f.get("unanswerable") for f in held),
        options=any(f.get("options") for f in held),
        sentences=bool(held) and all(f.get("sentences") for f in held),
        supports=not held or any(f.get("supports", True) or not _has_answers(f) for f in held),
        paragraphs=max((int(n) for f in held for n in f.get("paragraphs", {})), default=0),
        datasets=len(datasets),
        contexts=frozenset(int(n) for f in held for n in f.get("paragraphs", {})) or None,
        hops=max((int(n) for f in held for n in f.get("hops", {})), default=None),
        ablated=any(f["ablated"] for f in held) if all("ablated" in f for f in held) else None,
    )


def _has_answers(features: dict[str, Any]) -> bool:
    return any(kind != NO_ANSWER for kind in features.get("answer_kinds", {}))


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

    A task that has no default options is judged once it has some.
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


def problems(datasets: Iterable[Dataset], task: TaskType, options: Mapping[str, Any]) -> Problems:
    """What is wrong with options for these datasets, by the names of a request."""
    found: Problems = {}
    lacking = task.lacking(task.options(options), examples_of(list(datasets))) if isinstance(task, Fielded) else ()
    for option, flaw in lacking:
        found.setdefault(f"options.{option}", []).append(sentence(flaw))
    return found


def check(batch: Batch) -> None:
    """Raises Refused if the items of a draft, as they are now, lack what its options name."""
    if wrong := problems(batch.datasets.all(), task_type(batch.task), batch.options):
        raise Refused(" ".join(text for texts in wrong.values() for text in texts))


def warnings(datasets: Iterable[Dataset], task: TaskType, options: Mapping[str, Any]) -> list[str]:
    """What a requester should know about the options before a launch with these datasets."""
    told = task.warnings(task.options(options), examples_of(list(datasets))) if isinstance(task, Fielded) else ()
    return [sentence(flaw) for flaw in told]


def why_left_out(task: TaskType, example: Example, options: Any) -> str:
    """The reason why the task makes no HIT of an example."""
    return _(task.left_out(example, options) if isinstance(task, Fielded) else task.needs)


def examples_of(datasets: list[Dataset]) -> Iterator[Example]:
    """The usable items of datasets, in order, as they are read."""
    rows = Item.objects.usable().filter(dataset__in=datasets).order_by("pk").only("content")
    return (row.example for row in rows.iterator(chunk_size=100))
