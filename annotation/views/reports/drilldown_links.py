"""Links from the numbers of a report to the lists of HITs and assignments behind them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from django.urls import reverse
from django.utils.http import urlencode

from annotation.flow.batches import hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.models import Batch
from annotation.registry import task_type
from annotation.tasktype import capabilities


class DrilldownLinks:
    """URLs of the lists of a batch's HITs and assignments, within the page's filter."""

    def __init__(self, batch: Batch, part: BatchPart) -> None:
        self._batch, self._part = batch, part
        self._labels = capabilities.labels(task_type(batch.task))
        args = [batch.project.slug, batch.slug]
        self._hits, self._assignments = reverse("hits", args=args), reverse("batch-assignments", args=args)
        self._found: dict[tuple[tuple[str, str], ...], str] = {}  # most cells of a row lead to the same

    @cached_property
    def workers(self) -> frozenset[str]:
        return frozenset(hit_filters.pseudonyms(self._batch))

    def to(self, parts: Mapping[str, str]) -> str:
        """The URL of the HITs in a part of the report; of its responses, if it names answers, a worker or a label."""
        key = tuple(parts.items())
        if key not in self._found:
            self._found[key] = self._to(parts)
        return self._found[key]

    def _to(self, parts: Mapping[str, str]) -> str:
        known = {name: value for name, value in parts.items() if name != "label" or value in self._labels}
        part = replace(self._part.narrowed(known), counted=True, ties="")
        if part.worker or part.label or "answers" in parts:
            return f"{self._assignments}?{urlencode({'show': 'submitted', **part.query})}"
        return f"{self._hits}?{urlencode(part.query)}"

    def number_of_items(self) -> int:
        """The number of HITs that count."""
        rows = self._batch.hits.filter(check_item=False)
        return hit_filters.hits_in(self._batch, replace(self._part, counted=True), rows).count()

    def to_all(self, kind: str, parts: Mapping[str, str]) -> str:
        """The URL of a list that has more than what counts, by a kind of `explanations.ROWS`; "" if there is none."""
        part, query = replace(self._part.narrowed(parts), ties=""), {"hits": {}, "excluded": {"show": "excluded"}}
        if kind in query and not (part.since or part.until):
            return f"{self._hits}?{urlencode(query[kind] | part.query)}"
        if kind == "checks":
            return f"{self._hits}?show=checks"
        if kind == "accepted":
            return f"{self._assignments}?show=all"
        if kind == "began" and not self._batch.check_share:  # its list has those who met hidden gold alone
            return reverse("batch-workers", args=[self._batch.project.slug, self._batch.slug])
        return ""


class BatchesDrilldownLinks:
    """The same for several batches, named by `batch`."""

    workers: frozenset[str] = frozenset()

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._ways = {batch.slug: DrilldownLinks(batch, BatchPart()) for batch in batches}

    def to(self, parts: Mapping[str, str]) -> str:
        return self._ways[parts["batch"]].to(parts)

    def to_items(self, batch: str, n: int) -> str:
        """The URL of the batch's HITs that count; "" if these are not `n`, as before its report is computed."""
        return self._ways[batch].to({}) if self._ways[batch].number_of_items() == n else ""
