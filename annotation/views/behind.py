"""The way from a number of a report to the judgments behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from django.urls import reverse
from django.utils.http import urlencode

from annotation.flow import cutting
from annotation.models import Batch
from annotation.pure.cuts import Cut
from annotation.registry import task_type


class Ways:
    """Addresses of the lists of a batch's HITs and assignments, inside the cut that a page shows."""

    def __init__(self, batch: Batch, cut: Cut) -> None:
        self._batch, self._cut = batch, cut
        self._labels = task_type(batch.task).labels
        args = [batch.project.slug, batch.slug]
        self._hits, self._assignments = reverse("hits", args=args), reverse("batch-assignments", args=args)

    @cached_property
    def workers(self) -> frozenset[str]:
        return frozenset(cutting.pseudonyms(self._batch))

    def to(self, parts: Mapping[str, str]) -> str:
        """To the HITs in the part of the cut; to the answers where it is about these (`answers`), somebody's, or a
        decision.
        """
        known = {name: value for name, value in parts.items() if name != "label" or value in self._labels}
        cut = replace(self._cut.narrowed(known), counted=True, ties="")
        if cut.worker or cut.label or "answers" in parts:
            return f"{self._assignments}?{urlencode({'show': 'submitted', **cut.query})}"
        return f"{self._hits}?{urlencode(cut.query)}"


class WaysOfSeveral:
    """The same of several batches: `batch` says of which."""

    workers: frozenset[str] = frozenset()

    def __init__(self, batches: Iterable[Batch]) -> None:
        self._ways = {batch.slug: Ways(batch, Cut()) for batch in batches}

    def to(self, parts: Mapping[str, str]) -> str:
        return self._ways[parts["batch"]].to(parts)
