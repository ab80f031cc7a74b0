"""Progress of a batch: counts, pace and workers."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import accumulate, chain
from statistics import median
from typing import Any

from django.db.models import Count, DateTimeField, F, Func, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.flow.batches import cached_figures, hidden_gold
from annotation.flow.batches.hit_filters import STATES
from annotation.flow.lists import ListFilter, worker_setting
from annotation.flow.money import wages
from annotation.flow.money.wages import Wage
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
from annotation.pure.setting_fields import setting

HOURS = 48  # shown in the chart of the pace
PERIODS = 24  # shown in the chart of the progress
SHOWS = {
    "submitted": Q(state=lifecycle.SUBMITTED),
    "in-work": Q(state=lifecycle.ACCEPTED),
    "late": Q(state=lifecycle.SUBMITTED, late=True),
    "surplus": Q(state=lifecycle.SUBMITTED, counts=False),
    "returned": Q(state__in=[lifecycle.RETURNED, lifecycle.EXPIRED]),
}


@dataclass(frozen=True)
class AssignmentFilter(ListFilter):
    """Filters of assignments."""

    order = ("pk",)

    batch: str = setting("", length=100, column="batch__slug")
    state: str = setting("", choices=dict(Assignment.State.choices), column="state")
    worker: str = worker_setting("worker__in")
    since: datetime | None = setting(None, help="Submitted then or later.", column="submitted_at__gte")
    show: str = setting("", help="Those that a batch's page counts.", choices={name: name for name in SHOWS})

    def narrow(self, project: Project, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
        return super().narrow(project, rows.filter(SHOWS.get(self.show, Q())))


OF_ASSIGNMENTS = {name.replace("-", "_"): Count("pk", filter=rule) for name, rule in SHOWS.items()}
OF_HITS = {
    "hits": Count("pk"),
    "excluded": Count("pk", filter=Q(excluded_at__isnull=False)),
    "places": Sum("wanted", filter=Q(excluded_at__isnull=True), default=0),
    "done": Sum("done", filter=Q(excluded_at__isnull=True), default=0),
}


@dataclass(frozen=True)
class BatchFilter(ListFilter):
    """Filters of batches."""

    size = 30

    state: str = setting("", choices=dict(Batch.State.choices), column="state")
    task: str = setting("", help="The task, as in `tasks/`.", column="task")
    purpose: str = setting("", choices=dict(Batch.Purpose.choices), column="purpose")
    dataset: str = setting("", help="With items of the dataset of this name.", column="datasets__slug")


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
    """The counts of a batch, in three queries; cached if it is large."""
    return Counts(**_counts(batch))


@cached_figures.cached_figure("counts")
def _counts(batch: Batch) -> dict[str, int]:
    hits = batch.hits.filter(check_item=False).aggregate(**OF_HITS)
    assignments = assignments_of(batch).aggregate(**OF_ASSIGNMENTS)
    return hits | assignments | {"problem_reports": open_problem_reports(batch).count()}


@cached_figures.cached_figure("hits")
def hits_of(batch: Batch) -> dict[str, int]:
    """Numbers of HITs by state, and of "all"; cached if the batch is large."""
    shown = {"all": Count("pk")} | {name: Count("pk", filter=rule) for name, rule in STATES.items()}
    return hidden_gold.hits_without_checks(batch).aggregate(**shown)


@cached_figures.cached_figure("progress")
def progress_of(batch: Batch) -> dict[str, int]:
    """Assignments wanted, done and under way, and responses of the last day; cached if the batch is large."""
    hits = batch.hits.filter(excluded_at__isnull=True, check_item=False)
    sums = hits.aggregate(wanted=Sum("wanted", default=0), done=Sum("done", default=0), live=Sum("live", default=0))
    return sums | {"recent": _recent(batch)}


def _recent(batch: Batch) -> int:
    rows = batch.assignments.filter(response_import=None)  # those from a file were not made here
    return rows.filter(submitted_at__gt=clock.now() - pace.WINDOW).count()


def counts_by_batch(batches: Sequence[Batch]) -> dict[int, Counts]:
    """The counts of several batches by their keys, in three queries in all."""
    keys = [batch.pk for batch in batches]
    hits = Hit.objects.filter(batch__in=keys, check_item=False).order_by().values("batch")
    work = Assignment.objects.filter(NOT_IMPORTING, batch__in=keys, hit__check_item=False).order_by().values("batch")
    reports = ProblemReport.objects.filter(assignment__batch__in=keys, state=ProblemReport.State.OPEN).order_by()
    reported = reports.values(batch=F("assignment__batch")).annotate(problem_reports=Count("pk"))
    counted: dict[int, dict[str, int]] = {key: {field.name: 0 for field in fields(Counts)} for key in keys}
    for row in chain[Any](hits.annotate(**OF_HITS), work.annotate(**OF_ASSIGNMENTS), reported):
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

    Cached if the batch is large.
    """
    pace = _Pace(_by_quarter(batch))
    if pace.last is None:
        return []
    start = pace.last.replace(minute=0, second=0, microsecond=0) - timedelta(hours=HOURS - 1)
    hours = [start.astimezone(UTC) + timedelta(hours=k) for k in range(HOURS)]
    return [(timezone.localtime(hour), pace.count(hour, hour + timedelta(hours=1))) for hour in hours]


def over_time(batch: Batch) -> list[tuple[datetime, int]]:
    """(time in the current time zone, responses submitted until then) for at most 24 equal periods; [] without any.

    Cached if the batch is large.
    """
    pace = _Pace(_by_quarter(batch))
    if pace.first is None or pace.last is None:
        return []
    starts = time_grid(pace.first, pace.last, PERIODS)
    step = starts[1] - starts[0] if len(starts) > 1 else timedelta(hours=1)
    counts = [pace.count(start, start + step) for start in starts]
    return [(starts[0], 0), *zip([*starts[1:], pace.last], accumulate(counts), strict=True)]


class _Pace:
    """What `_by_quarter` counts, by time; hours begin at a quarter in every time zone."""

    def __init__(self, counted: dict[str, Any]) -> None:
        self._quarters = [quarter for quarter, _count in counted["quarters"]]
        self._sums: list[int] = [0, *accumulate(count for _quarter, count in counted["quarters"])]
        found = bool(self._quarters)
        self.first = timezone.localtime(datetime.fromtimestamp(self._quarters[0], UTC)) if found else None
        self.last = timezone.localtime(datetime.fromisoformat(counted["last"])) if found else None

    def count(self, start: datetime, end: datetime) -> int:
        """Submissions from `start` until before `end`."""
        before, until = (bisect_left(self._quarters, time.timestamp()) for time in (start, end))
        return self._sums[until] - self._sums[before]


class _Quarter(Func):
    """The quarter of an hour that a time is in, as its start."""

    output_field = DateTimeField()

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        return self.as_sql(
            compiler, connection, template="DATE_BIN('15 minutes', %(expressions)s, TIMESTAMPTZ 'epoch')"
        )

    def as_sqlite(self, compiler: Any, connection: Any, **_more: Any) -> Any:
        seconds = "CAST(STRFTIME('%%%%s', %(expressions)s) AS INTEGER)"
        return self.as_sql(compiler, connection, template=f"DATETIME({seconds} / 900 * 900, 'unixepoch')")


@cached_figures.cached_figure("submissions")
def _by_quarter(batch: Batch) -> dict[str, Any]:
    """{"quarters": [[start of a quarter of an hour as seconds since 1970, submissions]], "last": time or None}."""
    rows = assignments_of(batch).filter(state=lifecycle.SUBMITTED)
    last = rows.order_by("submitted_at").values_list("submitted_at", flat=True).last()  # by index
    counted = rows.order_by().values(quarter=_Quarter("submitted_at")).annotate(n=Count("pk")).order_by("quarter")
    quarters = [[int(row["quarter"].timestamp()), row["n"]] for row in counted]
    return {"quarters": quarters, "last": last and last.isoformat()}


def time_left(batch: Batch, counts: Counts) -> timedelta | None:
    """How long an open batch still takes at the pace of the last day; None without a pace."""
    if batch.state != Batch.State.OPEN or batch.launched_at is None:
        return None
    since = pace.window(batch.launched_at, clock.now())
    return pace.left_for(counts.places - counts.done, _recent(batch), since=since)


@cached_figures.cached_figure("workers")
def rows_of_workers(batch: Batch) -> list[dict[str, Any]]:
    """Rows by worker, busiest first: worker (key), submitted, late, returned, last, problem_reports, median_seconds.

    Who has met nothing but hidden gold is listed with zeros, since they may be paused. The median is of active
    seconds over submitted assignments; None if none was measured. Cached if the batch is large.
    """
    ordinary = Q(hit__check_item=False) if batch.check_share else Q()
    counts = {name: Count("pk", filter=SHOWS[name] & ordinary) for name in ("submitted", "late", "returned")}
    assignments = batch.assignments.filter(NOT_IMPORTING).order_by().values("worker")
    reports = ProblemReport.objects.filter(assignment__batch=batch).values_list("assignment__worker")
    problem_reports = dict(reports.annotate(Count("pk")))
    medians = _medians(batch)
    rows: list[Any] = list(assignments.annotate(last=Max("submitted_at"), **counts))
    for row in rows:
        row["last"] = row["last"] and row["last"].isoformat()
        row |= {"problem_reports": problem_reports.get(row["worker"], 0), "median_seconds": medians.get(row["worker"])}
    return sorted(rows, key=lambda row: (-row["submitted"], row["worker"]))


def with_workers(batch: Batch, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those rows with the workers themselves, `last` as a time, and `paused`."""
    workers = Worker.objects.in_bulk([row["worker"] for row in rows])
    stopped = {participation.worker_id for participation in hidden_gold.paused(batch)}
    for worker in workers.values():
        worker.project = batch.project
    times = [row["last"] and datetime.fromisoformat(row["last"]) for row in rows]
    return [
        row | {"worker": workers[row["worker"]], "last": last, "paused": row["worker"] in stopped}
        for row, last in zip(rows, times, strict=True)
    ]


@cached_figures.cached_figure("newest")
def newest_assignment(batch: Batch) -> int:
    """The key of the batch's newest assignment, 0 without any; cached if the batch is large."""
    if batch.size < cached_figures.LARGE:
        return 0
    return batch.assignments.aggregate(last=Max("pk"))["last"] or 0


def wages_of(batch: Batch) -> list[Wage]:
    """Wages of the batch's workers (flow/money/wages); cached if the batch is large."""
    return [Wage(worker, Decimal(seconds), Decimal(earned), count) for worker, seconds, earned, count in _wages(batch)]


@cached_figures.cached_figure("wages")
def _wages(batch: Batch) -> list[list[Any]]:
    return [[wage.worker, str(wage.seconds), str(wage.earned), wage.assignments] for wage in wages.of_batch(batch)]


def _medians(batch: Batch) -> dict[int, float]:
    timed = assignments_of(batch).filter(state=lifecycle.SUBMITTED, active_seconds__gt=0)
    seconds: defaultdict[int, array[float]] = defaultdict(lambda: array("d"))
    for worker, active in timed.order_by().values_list("worker", "active_seconds").iterator():
        seconds[worker].append(active)
    return {worker: median(values) for worker, values in seconds.items()}
