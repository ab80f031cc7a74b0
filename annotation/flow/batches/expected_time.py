"""The expected time for one HIT of a batch, before anybody has done one."""

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

from annotation.models import Dataset, Item
from annotation.registry import task_type
from annotation.tasktype import JSON, capabilities

WORDS_PER_MINUTE = 238  # silent reading of English non-fiction by adults (Brysbaert 2019)
LOOKED_AT = 40  # sampled items over all datasets


def expected_seconds(datasets: Iterable[Dataset], task: str, options: Mapping[str, Any]) -> int:
    """The task's estimate, averaged over items; else the time to read a context. At least one second."""
    datasets = list(datasets)
    return task_seconds(datasets, task, options) or reading_seconds(datasets)


def task_seconds(datasets: Iterable[Dataset], task: str, options: Mapping[str, Any]) -> int | None:
    """The mean of the task's estimates for a sample of the items; None if it makes none."""
    kind = task_type(task)
    payloads = list(_payloads(list(datasets), task, kind.options(options)))
    estimates = [seconds for payload in payloads if (seconds := capabilities.seconds(kind, payload)) is not None]
    return max(1, round(sum(estimates) / len(estimates))) if estimates else None


def reading_seconds(datasets: Iterable[Dataset]) -> int:
    """The time to read a context of the median dataset once, in seconds, at least 60."""
    words = sorted(dataset.features.get("words", 0) for dataset in datasets)
    middle = words[len(words) // 2] if words else 0
    return max(60, round(60 * middle / WORDS_PER_MINUTE))


def _payloads(datasets: list[Dataset], task: str, options: Any) -> Iterator[JSON]:
    """Payloads of items spread evenly over the datasets."""
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
