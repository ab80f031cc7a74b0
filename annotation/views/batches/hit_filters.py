"""Filters of the lists of a batch's HITs and assignments."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotation.flow.batches import hit_filters
from annotation.models import Batch
from annotation.pure.batches.hit_filters import Cut
from annotation.registry import task_type
from annotation.tasktype import capabilities

MOST_WORKERS = 300  # to choose from


def cut_context(request: HttpRequest, batch: Batch) -> dict[str, Any]:
    """`cut` from the query string, and the choices of `reports/_more_filters.html`: parts, labels, workers."""
    decisions = {name: _(label.words) for name, label in capabilities.labels(task_type(batch.task)).items()}
    return {
        "cut": Cut.of(request.GET),
        "parts": hit_filters.parts_of(batch),
        "decisions": decisions if len(decisions) > 1 else {},
        "pseudonyms": sorted(hit_filters.pseudonyms(batch))[:MOST_WORKERS],
    }
