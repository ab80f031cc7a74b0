"""Progress of a batch: counts, pace and workers."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.flow.batches import hidden_gold
from annotation.models import Assignment, Batch, Hit, Participation, ProblemReport, Project, ResponseImport, Worker
from annotation.pure.batches import lifecycle

HOURS = 48  # shown in the chart
SHOWS = {
    "submitted": Q(state=lifecycle.SUBMITTED),
    "in-work": Q(state=lifecycle.ACCEPTED),
    "late": Q(state=lifecycle.SUBMITTED, late=True),
    "surplus": Q(state=lifecycle.SUBMITTED, counts=False),
    "returned": Q(state__in=[lifecycle.RETURNED, lifecycle.EXPIRED]),
}
NOT_BEING_IMPORTED = Q(response_import__isnull=True) | Q(response_import__ready=True)


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
    return hidden_gold.rows_without_checks(batch, batch.assignments.filter(NOT_BEING_IMPORTED))


def work_of(project: Project) -> QuerySet[Assignment]:
    """Assignments of all batches of a project that are not deleted."""
    of_project = Q(batch__project=project, batch__removed_at__isnull=True)
    return Assignment.objects.filter(NOT_BEING_IMPORTED, of_project, hit__check_item=False)


def counts_of(batch: Batch) -> Counts:
    """The counts of a batch, in three queries."""
    hits = batch.hits.filter(check_item=False).aggregate(
        hits=Count("pk"),
        excluded=Count("pk", filter=Q(excluded_at__isnull=False)),
        places=Sum("wanted", filter=Q(excluded_at__isnull=True), default=0),
        done=Sum("done", filter=Q(excluded_at__isnull=True), default=0),
    )
    named = {name.replace("-", "_"): Count("pk", filter=rule) for name, rule in SHOWS.items()}
    return Counts(
        **hits, **assignments_of(batch).aggregate(**named), problem_reports=open_problem_reports(batch).count()
    )


def counts_by_batch(batches: Sequence[Batch]) -> dict[int, Counts]:
    """The counts of several batches by their keys, in three queries in all."""
    keys = [batch.pk for batch in batches]
    hits = Hit.objects.filter(batch__in=keys, check_item=False).order_by().values("batch")
    of_hits = hits.annotate(
        hits=Count("pk"),
        excluded=Count("pk", filter=Q(excluded_at__isnull=False)),
        places=Sum("wanted", filter=Q(excluded_at__isnull=True), default=0),
        done=Sum("done", filter=Q(excluded_at__isnull=True), default=0),
    )
    shown = Q(response_import__isnull=True) | Q(response_import__ready=True)
    work = Assignment.objects.filter(shown, batch__in=keys, hit__check_item=False).order_by().values("batch")
    named = {name.replace("-", "_"): Count("pk", filter=rule) for name, rule in SHOWS.items()}
    problem_reports = ProblemReport.objects.filter(
        assignment__batch__in=keys, state=ProblemReport.State.OPEN
    ).order_by()
    reported = problem_reports.values(batch=F("assignment__batch")).annotate(problem_reports=Count("pk"))
    found: dict[int, dict[str, int]] = {key: {field.name: 0 for field in fields(Counts)} for key in keys}
    for row in [*of_hits, *work.annotate(**named), *reported]:
        found[row.pop("batch")].update(row)
    return {key: Counts(**counts) for key, counts in found.items()}


def submitted_by_batch(keys: Sequence[int]) -> dict[int, int]:
    """Numbers of submitted assignments by the batches' keys, 0 included."""
    here = (
        Participation.objects.filter(batch=OuterRef("pk"))
        .order_by()
        .values("batch")
        .annotate(n=Sum("done"))
        .values("n")
    )
    read = ResponseImport.objects.filter(batch=OuterRef("pk"), ready=True).order_by().values("batch")
    # a subquery per batch: each is read by index, however many there are
    counted = Batch.everything.filter(pk__in=keys).annotate(
        n=Coalesce(Subquery(here), 0) + Coalesce(Subquery(read.annotate(n=Sum("size")).values("n")), 0)
    )
    return {key: n for key, n in counted.values_list("pk", "n") if n}


def open_problem_reports(batch: Batch) -> QuerySet[ProblemReport]:
    return ProblemReport.objects.filter(assignment__batch=batch, state=ProblemReport.State.OPEN)


def by_hour(batch: Batch) -> list[tuple[datetime, int]]:
    """(hour in the current time zone, submissions) for the last 48 hours of work; empty without any."""
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
    """Rows by worker, busiest first: worker, submitted, late, given_back, flags, median_seconds, paused, last.

    Who has met nothing but hidden gold is listed with zeros, since they may be paused. The median is of active
    seconds over submitted assignments; None if none was measured.
    """
    rows: dict[int, dict[str, Any]] = {}
    ordinary = Q(hit__check_item=False)
    counted = (
        batch.assignments.filter(NOT_BEING_IMPORTED)
        .values("worker")
        .annotate(
            submitted=Count("pk", filter=SHOWS["submitted"] & ordinary),
            late=Count("pk", filter=SHOWS["late"] & ordinary),
            returned=Count("pk", filter=SHOWS["returned"] & ordinary),
            last=Max("submitted_at"),
        )
    )
    for row in counted:
        rows[row.pop("worker")] = row
    reported = (
        ProblemReport.objects.filter(assignment__batch=batch)
        .values("assignment__worker")
        .annotate(problem_reports=Count("pk"))
    )
    problem_reports = {row["assignment__worker"]: row["problem_reports"] for row in reported}
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
