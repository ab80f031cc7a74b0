"""Figures of large batches, kept for some minutes: counting them reads every HIT or response."""

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

from annotation.models import Batch

LARGE = 20_000  # HITs; the figures of smaller batches are counted each time
KEPT = 300  # seconds
T = TypeVar("T")


def figure(batch: Batch, name: str, count: Callable[[], T]) -> T:
    """What `count` returns; for a large batch, what it returned within the last five minutes in this process."""
    if batch.size < LARGE:
        return count()
    found: T = cache.get_or_set(f"figure/{batch.pk}/{batch.created_at.timestamp()}/{batch.size}/{name}", count, KEPT)
    return found
