"""Progress of a batch: counts, pace and workers."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from itertools import accumulate
from statistics import median
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.flow.batches import hidden_gold, kept_figures
from annotation.models import (
    Assignment,
    Batch,
    Hit,
    Participation,
    ProblemReport,
    Project,
    ResponseImport,
    Worker,
    clock,
)
from annotation.models.assignment import NOT_IMPORTING
from annotation.pure.batches import lifecycle, pace
from annotation.pure.reports.time_grid import time_grid

HOURS = 48  # shown in the chart of the pace
PERIODS = 24  # shown in the chart of the progress
SHOWS = {
    "submitted": Q(state=lifecycle.SUBMITTED),
    "in-work": Q(state=lifecycle.ACCEPTED),
    "late": Q(state=lifecycle.SUBMITTED, late=True),
    "surplus": Q(state=lifecycle.SUBMITTED, counts=False),
    "returned": Q(state__in=[lifecycle.RETURNED, lifecycle.EXPIRED]),
}
OF_ASSIGNMENTS = {name.replace("-", "_"): Count("pk", filter=rule) for name, rule in SHOWS.items()}
OF_HITS = {
    "hits": Count("pk"),
    "excluded": Count("pk", filter=Q(excluded_at__isnull=False)),
    "places": Sum("wanted", filter=Q(excluded_at__isnull=True), default=0),
    "done": Sum("done", filter=Q(excluded_at__isnull=True), default=0),
}


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of a batch: HITs, wanted assignments, assignments by state, open problem reports."""

    hits: int
    excluded: int
    places: int
    done: int
    submitted: int
    in_work: int
    late: int
    surplus: int
    returned: int
    problem_reports: int


def assignments_of(batch: Batch) -> QuerySet[Assignment]:
    """Assignments of the batch without hidden gold and imports under way."""
    return hidden_gold.rows_without_checks(batch, batch.assignments.filter(NOT_IMPORTING))


def work_of(project: Project) -> QuerySet[Assignment]:
    """Assignments of all batches of a project that are not deleted."""
    present = Q(batch__project=project, batch__removed_at__isnull=True)
    return Assignment.objects.filter(NOT_IMPORTING, present, hit__check_item=False)


def counts_of(batch: Batch) -> Counts:
    """The counts of a batch, in three queries; kept if it is large."""
    return kept_figures.figure(batch, "counts", lambda: _counts(batch))


def _counts(batch: Batch) -> Counts:
    hits = batch.hits.filter(check_item=False).aggregate(**OF_HITS)
    assignments = assignments_of(batch).aggregate(**OF_ASSIGNMENTS)
    return Counts(**hits, **assignments, problem_reports=open_problem_reports(batch).count())


def counts_by_batch(batches: Sequence[Batch]) -> dict[int, Counts]:
    """The counts of several batches by their keys, in three queries in all."""
    keys = [batch.pk for batch in batches]
    hits = Hit.objects.filter(batch__in=keys, check_item=False).order_by().values("batch")
    work = Assignment.objects.filter(NOT_IMPORTING, batch__in=keys, hit__check_item=False).order_by().values("batch")
    reports = ProblemReport.objects.filter(assignment__batch__in=keys, state=ProblemReport.State.OPEN).order_by()
    reported = reports.values(batch=F("assignment__batch")).annotate(problem_reports=Count("pk"))
    counted: dict[int, dict[str, int]] = {key: {field.name: 0 for field in fields(Counts)} for key in keys}
    for row in [*hits.annotate(**OF_HITS), *work.annotate(**OF_ASSIGNMENTS), *reported]:
        counted[row.pop("batch")].update(row)
    return {key: Counts(**counts) for key, counts in counted.items()}


def submitted_by_batch(keys: Sequence[int]) -> dict[int, int]:
    """Numbers of submitted assignments by the batches' keys, 0 included."""
    here = Participation.objects.filter(batch=OuterRef("pk")).order_by().values("batch")
    read = ResponseImport.objects.filter(batch=OuterRef("pk"), ready=True).order_by().values("batch")
    # a subquery per batch: each is read by index, however many there are
    sums = [Subquery(rows.annotate(n=Sum(column)).values("n")) for rows, column in ((here, "done"), (read, "size"))]
    counted = Batch.everything.filter(pk__in=keys).annotate(n=Coalesce(sums[0], 0) + Coalesce(sums[1], 0))
    return {key: n for key, n in counted.values_list("pk", "n") if n}


def open_problem_reports(batch: Batch) -> QuerySet[ProblemReport]:
    return ProblemReport.objects.filter(assignment__batch=batch, state=ProblemReport.State.OPEN)


def by_hour(batch: Batch) -> list[tuple[datetime, int]]:
    """(hour in the current time zone, submissions) for the last 48 hours of work; empty without any.

    Kept if the batch is large.
    """
    name = f"hours/{timezone.get_current_timezone_name()}"
    return kept_figures.figure(batch, name, lambda: _by_hour(batch))


def _by_hour(batch: Batch) -> list[tuple[datetime, int]]:
    submitted = assignments_of(batch).filter(state=lifecycle.SUBMITTED)
    last = submitted.aggregate(last=Max("submitted_at"))["last"]
    if last is None:
        return []
    end = timezone.localtime(last).replace(minute=0, second=0, microsecond=0)
    start = end - timedelta(hours=HOURS - 1)
    times = submitted.filter(submitted_at__gte=start).values_list("submitted_at", flat=True)
    counted = Counter(int((time - start).total_seconds() // 3600) for time in times.iterator())
    return [(timezone.localtime(start + timedelta(hours=k)), counted[k]) for k in range(HOURS)]


def over_time(batch: Batch) -> list[tuple[datetime, int]]:
    """(time in the current time zone, responses submitted until then) for at most 24 equal periods; [] without any.

    Kept if the batch is large.
    """
    name = f"over-time/{timezone.get_current_timezone_name()}"
    return kept_figures.figure(batch, name, lambda: _over_time(batch))


def _over_time(batch: Batch) -> list[tuple[datetime, int]]:
    rows = hidden_gold.rows_without_checks(batch, batch.assignments.filter(submitted_at__isnull=False))
    times = rows.order_by("submitted_at").values_list("submitted_at", flat=True)
    first, last = times.first(), times.last()  # not as one aggregate, which would read the whole index
    if first is None or last is None:
        return []
    starts = time_grid(timezone.localtime(first), timezone.localtime(last), PERIODS)
    step = starts[1] - starts[0] if len(starts) > 1 else timedelta(hours=1)
    # a query for each period, since each counts in an index, and one for all would compare each row with each period
    counts = [rows.filter(submitted_at__gte=start, submitted_at__lt=start + step).count() for start in starts]
    ends = [*starts[1:], timezone.localtime(last)]
    return [(starts[0], 0), *zip(ends, accumulate(counts), strict=True)]


def time_left(batch: Batch, counts: Counts) -> timedelta | None:
    """How long an open batch still takes at the pace of the last day; None without a pace."""
    if batch.state != Batch.State.OPEN or batch.launched_at is None:
        return None
    now = clock.now()
    recent = batch.assignments.filter(submitted_at__gt=now - pace.WINDOW).count()
    return pace.left_for(counts.places - counts.done, recent, since=pace.window(batch.launched_at, now))


def workers_of(batch: Batch) -> list[dict[str, Any]]:
    """Rows by worker, busiest first: worker, submitted, late, returned, problem_reports, median_seconds, paused, last.

    Who has met nothing but hidden gold is listed with zeros, since they may be paused. The median is of active
    seconds over submitted assignments; None if none was measured. Kept if the batch is large.
    """
    return kept_figures.figure(batch, "workers", lambda: _workers(batch))


def _workers(batch: Batch) -> list[dict[str, Any]]:
    ordinary = Q(hit__check_item=False)
    counts = {name: Count("pk", filter=SHOWS[name] & ordinary) for name in ("submitted", "late", "returned")}
    assignments = batch.assignments.filter(NOT_IMPORTING).values("worker")
    counted = assignments.annotate(last=Max("submitted_at"), **counts)
    rows: dict[int, dict[str, Any]] = {row.pop("worker"): row for row in counted}
    reports = ProblemReport.objects.filter(assignment__batch=batch).values_list("assignment__worker")
    problem_reports = dict(reports.annotate(Count("pk")))
    medians = _medians(batch)
    stopped = {participation.worker_id for participation in hidden_gold.paused(batch)}
    workers = Worker.objects.select_related("project").in_bulk(rows)
    for pk, row in rows.items():
        row |= {"worker": workers[pk], "problem_reports": problem_reports.get(pk, 0), "median_seconds": medians.get(pk)}
        row["paused"] = pk in stopped
    return sorted(rows.values(), key=lambda row: (-row["submitted"], row["worker"].pk))


def _medians(batch: Batch) -> dict[int, float]:
    timed = assignments_of(batch).filter(state=lifecycle.SUBMITTED, active_seconds__gt=0)
    seconds: defaultdict[int, list[float]] = defaultdict(list)
    for worker, active in timed.values_list("worker", "active_seconds").iterator():
        seconds[worker].append(active)
    return {worker: median(values) for worker, values in seconds.items()}
