"""Columns on items in exported responses: question, gold, score, hops, shape and pair."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from annotation.models import Batch, Hit
from annotation.pure.data.example import Example
from annotation.pure.statistics.metrics import scored_as
from annotation.registry import task_type
from annotation.tasktype import capabilities

KEPT = 1000  # cached HITs: responses to one HIT are mostly close together
_READ = ("pk", "payload", "item__content", "item__hops", "item__shape", "item__dataset__format")
COLUMNS = ("question", "gold", "gold_support", "answerable", "hops", "shape", "pair")


@dataclass(frozen=True, slots=True)
class _ItemColumns:
    example: Example
    payload: dict[str, Any]
    format: str
    gradable: bool
    columns: dict[str, Any]


class JudgedItems:
    """The items of a batch's responses, read in chunks; memory does not grow with the batch."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._task = task_type(batch.task)
        self._known: OrderedDict[int, _ItemColumns] = OrderedDict()

    def columns(self, hit: int, answer: Any) -> dict[str, Any]:
        """COLUMNS and `score`, the task's measures of the response, 0..1; None without usable gold."""
        known, score = self._known[hit], None
        if known.gradable:
            score = capabilities.measure(self._task, known.payload, answer, known.example, format=known.format)
        return {**known.columns, "score": None if score is None else dict(score)}

    def read(self, hits: Iterable[int]) -> None:
        """Load these HITs into the cache, which holds at most `KEPT`."""
        wanted = set(hits)
        for pk in wanted & self._known.keys():
            self._known.move_to_end(pk)
        rows = Hit.objects.filter(pk__in=wanted - self._known.keys()).values_list(*_READ)
        for pk, payload, content, hops, shape, format in rows:
            self._known[pk] = self._of(payload, Example.from_json(content), hops, shape, format)
        while len(self._known) > max(KEPT, len(wanted)):
            self._known.popitem(last=False)

    def _of(self, payload: dict[str, Any], example: Example, hops: int, shape: str, format: str) -> _ItemColumns:
        columns = {
            "question": example.question,
            "gold": list(example.answers),
            "gold_support": None if example.supports is None else list(example.supports),
            "answerable": example.answerable,
            "hops": hops,
            "shape": shape,
            "pair": self._task.group(example) or "",
        }
        return _ItemColumns(example, payload, scored_as(example, format), self._task.gradable(example), columns)
