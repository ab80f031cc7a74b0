"""Whether the items of datasets have what a task's options name, and what to know about options before a launch."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.setting_values import Problems, sentence
from annotation.models import Batch, Dataset, Item
from annotation.pure.data.example import Example
from annotation.registry import task_type
from annotation.tasktype import Fielded, TaskType


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
