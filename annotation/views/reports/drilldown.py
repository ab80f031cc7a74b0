"""Links from a number of a report to the responses behind it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from django.urls import reverse
from django.utils.http import urlencode

from annotation.flow.batches import hit_filters
from annotation.models import Batch
from annotation.pure.batches.hit_filters import Cut
from annotation.registry import task_type
from annotation.tasktype import capabilities


class Ways:
    """URLs of the lists of a batch's HITs and assignments, within the page's filter."""

    def __init__(self, batch: Batch, cut: Cut) -> None:
        self._batch, self._cut = batch, cut
        self._labels = capabilities.labels(task_type(batch.task))
        args = [batch.project.slug, batch.slug]
        self._hits, self._assignments = reverse("hits", args=args), reverse("batch-assignments", args=args)

    @cached_property
    def workers(self) -> frozenset[str]:
        return frozenset(hit_filters.pseudonyms(self._batch))

    def to(self, parts: Mapping[str, str]) -> str:
        """The URL of the HITs in this part; of the responses, if the part is about these, a worker or a label."""
        known = {name: value for name, value in parts.items() if name != "label" or value in self._labels}
        cut = replace(self._cut.narrowed(known), counted=True, ties="")
        if cut.worker or cut.label or "answers" in parts:
            return f"{self._assignments}?{urlencode({'show': 'submitted', **cut.query})}"
        return f"{self._hits}?{urlencode(cut.query)}"


class WaysOfSeveral:
    """The same for several batches, named by `batch`."""

    workers: frozenset[str] = frozenset()

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._ways = {batch.slug: Ways(batch, Cut()) for batch in batches}

    def to(self, parts: Mapping[str, str]) -> str:
        return self._ways[parts["batch"]].to(parts)
