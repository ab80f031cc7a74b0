"""Figures of large batches, kept for some minutes: counting them reads every HIT or response."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from django.core.cache import cache

from annotation.models import Batch, clock

LARGE = 20_000  # HITs; the figures of smaller batches are counted each time
KEPT = 300  # seconds
T = TypeVar("T")


def kept_since(batch: Batch) -> datetime | None:
    """The time since which this process keeps the figures of a large batch; None for other batches.

    All figures of a batch are counted anew five minutes later. A page says this time if it shows kept figures.
    """
    if batch.size < LARGE:
        return None
    since: datetime = cache.get_or_set(_key(batch, "since"), clock.now, KEPT)
    return since


def figure(batch: Batch, name: str, count: Callable[[], T]) -> T:
    """What `count` returns; for a large batch, what it returned under this name since `kept_since`."""
    since = kept_since(batch)
    if since is None:
        return count()
    found: T = cache.get_or_set(_key(batch, f"{since.isoformat()}/{name}"), count, KEPT)
    return found


def _key(batch: Batch, name: str) -> str:
    return f"figure/{batch.pk}/{batch.created_at.isoformat()}/{batch.size}/{name}"
