"""How long one HIT of a batch is expected to take, before anybody has done one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

from annotation.models import Dataset, Item
from annotation.registry import task_type
from annotation.tasktype import JSON

WORDS_PER_MINUTE = 238  # silent reading of adults, quality of a median reader (Brysbaert 2019)
LOOKED_AT = 40  # items that the task is asked about, over all datasets


def expected_seconds(datasets: Iterable[Dataset], task: str, options: Mapping[str, Any]) -> int:
    """What the task says of these items on average; else the time to read a context. At least a second."""
    datasets = list(datasets)
    return told_seconds(datasets, task, options) or reading_seconds(datasets)


def told_seconds(datasets: Iterable[Dataset], task: str, options: Mapping[str, Any]) -> int | None:
    """The mean of what the task says of a sample of the items; None where it says nothing."""
    kind = task_type(task)
    try:
        payloads = list(_payloads(list(datasets), task, kind.options(options)))
    except ValueError:
        return None  # of the options; whoever stores them hears about it
    told = [seconds for payload in payloads if (seconds := kind.seconds(payload)) is not None]
    return max(1, round(sum(told) / len(told))) if told else None


def reading_seconds(datasets: Iterable[Dataset]) -> int:
    """The time to read the median dataset's context once, in seconds, at least a minute."""
    words = sorted(dataset.features.get("words", 0) for dataset in datasets)
    middle = words[len(words) // 2] if words else 0
    return max(60, round(60 * middle / WORDS_PER_MINUTE))


def _payloads(datasets: list[Dataset], task: str, options: Any) -> Iterator[JSON]:
    """What people would see of items that lie evenly over the datasets."""
    total = sum(dataset.size for dataset in datasets)
    step = max(1, -(-total // LOOKED_AT))
    before = 0
    for dataset in datasets:
        positions = range(-before % step, dataset.size, step)
        for item in Item.objects.filter(dataset=dataset, position__in=positions).order_by("position"):
            payload = task_type(task).prepare(item.example, options, Random(item.position))
            if payload is not None:
                yield payload
        before += dataset.size
