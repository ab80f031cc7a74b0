"""How a batch is getting on: counts, pace and people, read off its rows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils import timezone

from annotation.models import Assignment, Batch, Flag, Worker
from annotation.pure import lifecycle

HOURS = 48  # of the chart
SHOWS = {
    "submitted": Q(state=lifecycle.SUBMITTED),
    "in-work": Q(state=lifecycle.ACCEPTED),
    "late": Q(state=lifecycle.SUBMITTED, late=True),
    "surplus": Q(state=lifecycle.SUBMITTED, counts=False),
    "given-back": Q(state__in=[lifecycle.RETURNED, lifecycle.EXPIRED]),
}


@dataclass(frozen=True, slots=True)
class Counts:
    """Of a batch: HITs, places (assignments asked for), assignments by what became of them, open reports."""

    hits: int
    voided: int
    places: int
    done: int
    submitted: int
    in_work: int
    late: int
    surplus: int
    given_back: int
    flags: int


def assignments_of(batch: Batch) -> QuerySet[Assignment]:
    """Those that researchers may see: an import under way shows nothing."""
    return batch.assignments.filter(Q(collection__isnull=True) | Q(collection__ready=True))


def counts_of(batch: Batch) -> Counts:
    """Every number of the overview, in three queries."""
    hits = batch.hits.aggregate(
        hits=Count("pk"),
        voided=Count("pk", filter=Q(voided_at__isnull=False)),
        places=Sum("wanted", filter=Q(voided_at__isnull=True), default=0),
        done=Sum("done", filter=Q(voided_at__isnull=True), default=0),
    )
    named = {name.replace("-", "_"): Count("pk", filter=rule) for name, rule in SHOWS.items()}
    return Counts(**hits, **assignments_of(batch).aggregate(**named), flags=open_flags(batch).count())


def open_flags(batch: Batch) -> QuerySet[Flag]:
    return Flag.objects.filter(assignment__batch=batch, state=Flag.State.OPEN)


def by_hour(batch: Batch) -> list[tuple[datetime, int]]:
    """(hour in the current zone, submissions in it) for the last 48 hours of work; empty without any."""
    submitted = assignments_of(batch).filter(state=lifecycle.SUBMITTED)
    last = submitted.aggregate(last=Max("submitted_at"))["last"]
    if last is None:
        return []
    end = timezone.localtime(last).replace(minute=0, second=0, microsecond=0)
    start = end - timedelta(hours=HOURS - 1)
    counted: defaultdict[int, int] = defaultdict(int)
    times = submitted.filter(submitted_at__gte=start).values_list("submitted_at", flat=True)
    for time in times.iterator():
        counted[int((time - start).total_seconds() // 3600)] += 1
    return [(timezone.localtime(start + timedelta(hours=k)), counted[k]) for k in range(HOURS)]


def workers_of(batch: Batch) -> list[dict[str, Any]]:
    """Per worker: {"worker", "submitted", "late", "given_back", "flags", "median_seconds", "last"}, busiest first.

    The median is of active seconds over submitted assignments; None where none was measured.
    """
    rows: dict[int, dict[str, Any]] = {}
    counted = (
        assignments_of(batch)
        .values("worker")
        .annotate(
            submitted=Count("pk", filter=SHOWS["submitted"]),
            late=Count("pk", filter=SHOWS["late"]),
            given_back=Count("pk", filter=SHOWS["given-back"]),
            last=Max("submitted_at"),
        )
    )
    for row in counted:
        rows[row.pop("worker")] = row
    reported = Flag.objects.filter(assignment__batch=batch).values("assignment__worker").annotate(flags=Count("pk"))
    flags = {row["assignment__worker"]: row["flags"] for row in reported}
    medians = _medians(batch)
    workers = Worker.objects.select_related("project").in_bulk(rows)
    for pk, row in rows.items():
        row |= {"worker": workers[pk], "flags": flags.get(pk, 0), "median_seconds": medians.get(pk)}
    return sorted(rows.values(), key=lambda row: (-row["submitted"], row["worker"].pk))


def _medians(batch: Batch) -> dict[int, float]:
    timed = assignments_of(batch).filter(state=lifecycle.SUBMITTED, active_seconds__gt=0)
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    for worker, active in timed.values_list("worker", "active_seconds").iterator():
        seconds[worker].append(active)
    return {worker: median(values) for worker, values in seconds.items()}
