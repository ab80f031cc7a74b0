"""How a batch is getting on: counts, pace and people, read off its rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.flow import checking
from annotation.models import Assignment, Batch, Collection, Flag, Hit, Project, Seat, Worker
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
    """Those that researchers may see: an import under way shows nothing, and hidden gold is no work of the batch's."""
    rows = batch.assignments.filter(Q(collection__isnull=True) | Q(collection__ready=True))
    return checking.rows_without_checks(batch, rows)


def work_of(project: Project) -> QuerySet[Assignment]:
    """The same of all batches of a project that are not in the bin."""
    shown = Q(collection__isnull=True) | Q(collection__ready=True)
    there = Q(batch__project=project, batch__removed_at__isnull=True)
    return Assignment.objects.filter(shown, there, hit__check_item=False)


def counts_of(batch: Batch) -> Counts:
    """Every number of the overview, in three queries."""
    hits = batch.hits.filter(check_item=False).aggregate(
        hits=Count("pk"),
        voided=Count("pk", filter=Q(voided_at__isnull=False)),
        places=Sum("wanted", filter=Q(voided_at__isnull=True), default=0),
        done=Sum("done", filter=Q(voided_at__isnull=True), default=0),
    )
    named = {name.replace("-", "_"): Count("pk", filter=rule) for name, rule in SHOWS.items()}
    return Counts(**hits, **assignments_of(batch).aggregate(**named), flags=open_flags(batch).count())


def counts_by_batch(batches: Sequence[Batch]) -> dict[int, Counts]:
    """The same of several batches by their keys, in three queries together."""
    keys = [batch.pk for batch in batches]
    hits = Hit.objects.filter(batch__in=keys, check_item=False).order_by().values("batch")
    of_hits = hits.annotate(
        hits=Count("pk"),
        voided=Count("pk", filter=Q(voided_at__isnull=False)),
        places=Sum("wanted", filter=Q(voided_at__isnull=True), default=0),
        done=Sum("done", filter=Q(voided_at__isnull=True), default=0),
    )
    shown = Q(collection__isnull=True) | Q(collection__ready=True)
    work = Assignment.objects.filter(shown, batch__in=keys, hit__check_item=False).order_by().values("batch")
    named = {name.replace("-", "_"): Count("pk", filter=rule) for name, rule in SHOWS.items()}
    flags = Flag.objects.filter(assignment__batch__in=keys, state=Flag.State.OPEN).order_by()
    reported = flags.values(batch=F("assignment__batch")).annotate(flags=Count("pk"))
    found: dict[int, dict[str, int]] = {key: {field.name: 0 for field in fields(Counts)} for key in keys}
    for row in [*of_hits, *work.annotate(**named), *reported]:
        found[row.pop("batch")].update(row)
    return {key: Counts(**counts) for key, counts in found.items()}


def submitted_by_batch(keys: Sequence[int]) -> dict[int, int]:
    """Submitted assignments of batches by their keys, those of none left out."""
    here = Seat.objects.filter(batch=OuterRef("pk")).order_by().values("batch").annotate(n=Sum("done")).values("n")
    read = Collection.objects.filter(batch=OuterRef("pk"), ready=True).order_by().values("batch")
    counted = Batch.everything.filter(pk__in=keys).annotate(  # each batch by itself: by index, however many there are
        n=Coalesce(Subquery(here), 0) + Coalesce(Subquery(read.annotate(n=Sum("size")).values("n")), 0)
    )
    return {key: n for key, n in counted.values_list("pk", "n") if n}


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
    """Per worker, busiest first: {"worker", "submitted", "late", "given_back", "flags", "median_seconds", "paused",
    "last"}.

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
    stopped = {seat.worker_id for seat in checking.paused(batch)}
    workers = Worker.objects.select_related("project").in_bulk(rows)
    for pk, row in rows.items():
        row |= {"worker": workers[pk], "flags": flags.get(pk, 0), "median_seconds": medians.get(pk)}
        row["paused"] = pk in stopped
    return sorted(rows.values(), key=lambda row: (-row["submitted"], row["worker"].pk))


def _medians(batch: Batch) -> dict[int, float]:
    timed = assignments_of(batch).filter(state=lifecycle.SUBMITTED, active_seconds__gt=0)
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    for worker, active in timed.values_list("worker", "active_seconds").iterator():
        seconds[worker].append(active)
    return {worker: median(values) for worker, values in seconds.items()}
