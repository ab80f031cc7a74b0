"""What the lists of a batch's HITs and assignments can be filtered by."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotation.flow import cutting
from annotation.models import Batch
from annotation.pure.cuts import Cut
from annotation.registry import task_type

MOST_WORKERS = 300  # to choose from


def cut_context(request: HttpRequest, batch: Batch) -> dict[str, Any]:
    """`cut` as the address asks for it, and what `batches/_cut_more.html` offers: parts, decisions, workers."""
    decisions = {name: _(label.words) for name, label in task_type(batch.task).labels.items()}
    return {
        "cut": Cut.of(request.GET),
        "parts": cutting.parts_of(batch),
        "decisions": decisions if len(decisions) > 1 else {},
        "pseudonyms": sorted(cutting.pseudonyms(batch))[:MOST_WORKERS],
    }
