"""What a worker may know of their own quality: their scores in a closed batch, if the requester shows them."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, median
from typing import cast

from django.core.cache import cache
from django.db.models import F

from annotation.flow.batches import hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.reports.batch_scores import version_key
from annotation.models import Assignment, Batch, Worker, WorkerResponse
from annotation.pure.statistics.metrics import scored_as
from annotation.registry import task_type
from annotation.tasktype import capabilities

LEAST = 5  # workers for a median, so that it tells little of anybody else
KEPT = 3600  # seconds; scores of a closed batch rarely change
Values = Mapping[int, Mapping[str, tuple[int, float]]]  # {worker: {measure: (responses, mean)}}


@dataclass(frozen=True, slots=True)
class OwnScore:
    """One measure: its label (a gettext id), the worker's mean over `n` responses, and the median of all workers."""

    label: str
    n: int
    mean: float
    median: float | None
    workers: int


def are_shown(batch: Batch) -> bool:
    """Never while responses can still come in; a qualification round tells its own result."""
    return batch.shows_scores and batch.state == Batch.State.CLOSED and batch.purpose == Batch.Purpose.PRODUCTION


def is_scored(row: Assignment) -> bool:
    """Whether the response is part of scores that its worker may see."""
    return are_shown(row.batch) and task_type(row.batch.task).gradable(row.hit.payload, row.hit.item.example)


def own_scores(batch: Batch, worker: Worker) -> list[OwnScore]:
    """The worker's means of the task's measures against gold; none where they are not shown or nothing has gold."""
    if not are_shown(batch):
        return []
    stand = version_key(batch).replace(" ", "T")  # memcached takes no key with a space
    key = f"own-scores/{batch.pk}/{batch.created_at.timestamp()}/{stand}"
    values = cast(Values, cache.get_or_set(key, lambda: _values(batch), KEPT))
    own, measures = values.get(worker.pk, {}), capabilities.measures(task_type(batch.task))
    return [_score(measures[name].for_workers, name, own, values) for name in measures if name in own]


def _score(label: str, name: str, own: Mapping[str, tuple[int, float]], values: Values) -> OwnScore:
    means = [figures[name][1] for figures in values.values() if name in figures]
    return OwnScore(label, *own[name], median(means) if len(means) >= LEAST else None, len(means))


def _values(batch: Batch) -> Values:
    task = task_type(batch.task)
    counted = hit_filters.assignments_in(batch, BatchPart(counted=True), batch.assignments.submitted())
    rows = WorkerResponse.objects.filter(assignment__in=counted, revision=F("assignment__revision"))
    found: defaultdict[int, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows.select_related("assignment__hit__item__dataset").iterator(chunk_size=200):
        hit = row.assignment.hit
        gold, format = hit.item.example, hit.item.dataset.format
        if task.gradable(hit.payload, gold):
            measured = capabilities.measure(task, hit.payload, row.answer, gold, format=scored_as(gold, format))
            for name, value in measured.items():
                found[row.assignment.worker_id][name].append(value)
    return {
        worker: {name: (len(numbers), fmean(numbers)) for name, numbers in figures.items()}
        for worker, figures in found.items()
    }
