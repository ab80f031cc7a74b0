"""Columns on items in exported responses: question, gold, score, hops, shape and pair."""

import json
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from sys import intern
from typing import Any, Protocol

from annotation.models import Batch, Hit
from annotation.pure.data.example import Example
from annotation.pure.setting_fields import digests
from annotation.pure.statistics.metrics import scored_as
from annotation.registry import task_type
from annotation.tasktype import Measured, capabilities

KEPT = 1000  # cached HITs: responses to one HIT are mostly close together
KEPT_WITHOUT_TEXTS = 10_000  # but not where one worker after the other did a whole batch
_NAMES = ("public_id", "item__dataset__slug", "item__dataset__sha256", "item__position", "item__source_id")
PROBABILITY = "inclusion_probability"  # of items drawn by confidence
_EXCLUSION = ("exclusion_reason", "excluded_at")
_CONTENT = ("payload", "item__content", "item__hops", "item__shape", "item__dataset__format")
NOT_EXCLUDED = {"exclusion_reason": "", "excluded": False}
COLUMNS = ("question", "gold", "gold_set", "as_of", "gold_support", "answerable", "hops", "shape", "pair")


class Stored(Protocol):
    @property
    def value(self) -> Any: ...


class Listed(list[Any]):
    """A list that a table has as JSON: the same text for all responses to a HIT."""

    @cached_property
    def text(self) -> str:
        return listed(self)


listed = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class HitColumns:
    """The columns of a HIT's responses; without `example` those on its content are left out."""

    names: dict[str, Any]
    exclusion: dict[str, Any]
    columns: dict[str, Any]
    example: Example | None = None
    payload: Any = None
    format: str = ""
    gradable: bool = False


class JudgedItems:
    """The HITs and items of a batch's responses, read in chunks; memory does not grow with the batch."""

    def __init__(self, batch: Batch, *, ids_only: bool = False) -> None:
        self._task = task_type(batch.task)
        self._digests = digests(self._task.Options, batch.options)
        self._draw = (PROBABILITY,) if batch.is_by_confidence else ()
        self._read = ("pk", *_NAMES, *_EXCLUSION, PROBABILITY, *(() if ids_only else _CONTENT))
        self._known: OrderedDict[int, HitColumns] = OrderedDict()
        self._is_light = ids_only or isinstance(self._task, Measured)  # which needs no texts of paragraphs

    def of(self, hit: int) -> HitColumns:
        """What responses to the HIT have in common."""
        return self._known[hit]

    def columns(self, known: HitColumns, answer: Stored) -> dict[str, Any]:
        """COLUMNS and `score`, the task's measures of the response, 0..1; None without usable gold.

        Empty where only ids are wanted.
        """
        if known.example is None:
            return {}
        if not known.gradable:
            return {**known.columns, "score": None}
        score = capabilities.measure(self._task, known.payload, answer.value, known.example, format=known.format)
        return {**known.columns, "score": dict(score)}

    def read(self, hits: Iterable[int]) -> None:
        """Load these HITs into the cache, which holds at most `KEPT`, and more without their paragraphs."""
        wanted = set(hits)
        for pk in wanted & self._known.keys():
            self._known.move_to_end(pk)
        rows = Hit.objects.filter(pk__in=wanted - self._known.keys()).values_list(*self._read)
        some = rows.iterator(chunk_size=100)  # so that not all their texts are in memory at once
        for pk, hit, dataset, sha256, position, source_id, reason, excluded_at, chance, *content in some:
            named = {"dataset": intern(dataset), "dataset_sha256": intern(sha256)}  # each text once in memory
            names = {"hit": hit, **named, "item": position, "item_id": source_id, **self._digests}
            names |= dict.fromkeys(self._draw, chance)
            exclusion = {"exclusion_reason": reason, "excluded": True} if excluded_at else NOT_EXCLUDED
            self._known[pk] = HitColumns(names, exclusion, **self._of(*content) if content else {"columns": {}})
        most = KEPT_WITHOUT_TEXTS if self._is_light else KEPT
        while len(self._known) > max(most, len(wanted)):
            self._known.popitem(last=False)

    def _of(self, payload: Any, content: Any, hops: int, shape: str, format: str) -> dict[str, Any]:
        if self._is_light:
            content["paragraphs"] = ()
            if payload.get("paragraphs"):
                payload["paragraphs"] = None
        example = Example.from_json(content)
        columns = {
            "question": example.question,
            "gold": Listed(example.answers),
            "gold_set": Listed(list(answer) for answer in example.answer_set),
            "as_of": example.as_of,
            "gold_support": None if example.supports is None else Listed(example.supports),
            "answerable": example.answerable,
            "hops": hops,
            "shape": shape,
            "pair": self._task.group(example) or "",
        }
        return {
            "columns": columns,
            "example": example,
            "payload": payload,
            "format": scored_as(example, format),
            "gradable": self._task.gradable(payload, example),
        }
