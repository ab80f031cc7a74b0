"""Figures of large batches, stored by a sweep: counting them reads every HIT or response.

Where no sweep has run, each process counts them for its pages and keeps them for five minutes.
"""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, cast

from django.core.cache import cache
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Sum

from annotation.flow.errors import is_busy, is_database_unavailable
from annotation.models import Batch, BatchFigure, ProblemReport, clock

log = logging.getLogger(__name__)
LARGE = 20_000  # HITs; the figures of smaller batches are counted each time
KEPT = 300  # seconds between two counts, and more where counting takes more than a twentieth of that
SPARED = 20
SECONDS = 20  # of a sweep
Count_ = Callable[[Batch], Any]
COUNTS: dict[str, Count_] = {}


def cached_figure(name: str) -> Callable[[Count_], Count_]:
    """Decorator: of a large batch, return the stored figure (JSON), or count it and cache it for minutes."""

    def decorate(count: Count_) -> Count_:
        COUNTS[name] = count

        @wraps(count)
        def figure(batch: Batch) -> Any:
            if batch.size < LARGE:
                return count(batch)
            for value in batch.figures.current().filter(name=name).values_list("value", flat=True):
                return value
            since = _since(batch)
            return cache.get_or_set(_key(batch, f"{since.isoformat()}/{name}"), lambda: count(batch), KEPT)

        return figure

    return decorate


def cached_at(batch: Batch) -> datetime | None:
    """The time of the figures that pages show of a large batch; None for other batches."""
    if batch.size < LARGE:
        return None
    stored: datetime | None = batch.figures.current().aggregate(first=Min("counted_at"))["first"]
    if stored is not None:
        return stored
    return _since(batch)


def _since(batch: Batch) -> datetime:
    return cast(datetime, cache.get_or_set(_key(batch, "since"), clock.now, KEPT))


def count_due() -> None:
    """Count the figures of large batches that are due, for some seconds, the longest waiting first.

    A batch that fails is logged and tried again by the next sweep; only an unreachable database ends this one.
    """
    end = time.monotonic() + SECONDS
    current = BatchFigure.objects.filter(batch=OuterRef("pk"), due_at__gt=clock.now())
    due = Batch.objects.filter(~Exists(current), size__gte=LARGE, launched_at__isnull=False)
    due = due.annotate(last=Max("figures__counted_at")).order_by(F("last").asc(nulls_first=True), "pk")
    for batch in due.select_related("project"):
        try:
            count(batch)
        except Exception as error:
            if is_database_unavailable(error) and not is_busy(error):  # busy: a statement took too long
                raise
            log.exception("counting the figures of batch %s failed and is tried again", batch.pk)
            continue  # however long it took, another batch is counted
        if time.monotonic() > end:
            return


def count(batch: Batch) -> None:
    """Count and store the figures of a large batch; nothing is counted of a closed batch that did not change."""
    if batch.size < LARGE:
        return
    begun, counted_at = time.monotonic(), clock.now()
    mark = _mark(batch)
    rows = BatchFigure.objects.filter(batch=batch)
    if mark and rows.filter(name="mark", value=mark).exists() and rows.count() > len(COUNTS):
        rows.update(counted_at=counted_at, due_at=counted_at + timedelta(seconds=KEPT))
        return
    values = {name: count(batch) for name, count in COUNTS.items()} | {"mark": mark}
    due_at = counted_at + timedelta(seconds=max(KEPT, SPARED * (time.monotonic() - begun)))
    _store(batch, values, counted_at=counted_at, due_at=due_at)


def _store(batch: Batch, values: Mapping[str, Any], **times: datetime) -> None:
    BatchFigure.objects.bulk_create(
        [BatchFigure(batch=batch, name=name, value=value, **times) for name, value in values.items()],
        update_conflicts=True,
        unique_fields=["batch", "name"],
        update_fields=["value", *times],
    )


def _mark(batch: Batch) -> str:
    """What is the same again if nothing changed in a closed batch that pays nothing; "" for other batches."""
    if batch.state != Batch.State.CLOSED or batch.auto_approval is not None:
        return ""
    hits = batch.hits.aggregate(
        Count("pk"), Sum("changes"), Sum("done"), Sum("live"), Sum("wanted"), Count("excluded_at"), Max("excluded_at")
    )
    reports = ProblemReport.objects.filter(assignment__batch=batch).aggregate(Count("pk"), Max("decided_at"))
    return "/".join(map(str, [*hits.values(), *reports.values(), batch.next_ticket, batch.size]))


def _key(batch: Batch, name: str) -> str:
    return f"figure/{batch.pk}/{batch.created_at.isoformat()}/{batch.size}/{name}"
