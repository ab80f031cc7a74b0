"""Hours sheet: active time of each worker by day, for labs that pay by the hour.

It sums the same active seconds as wages, so that both agree. An assignment counts on the day of its submission, return
or expiry, because its time is stored as one sum; assignments under way count once they end.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Exists, OuterRef, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils.translation import gettext as _

from annotation.models import Assignment, Batch, Project, Worker
from annotation.models.assignment import ENDED_OTHERWISE, NOT_IMPORTING
from annotation.pure.batches import lifecycle
from annotation.pure.reports import table_files


@dataclass(frozen=True, slots=True)
class Line:
    """One worker's work on one batch on one day."""

    worker: Worker
    day: date
    batch: Batch
    seconds: float
    submitted: int
    ended: int  # returned or expired


@dataclass(frozen=True, slots=True)
class Total:
    """Sum for one worker over the whole period."""

    worker: Worker
    days: int
    seconds: float
    submitted: int


@dataclass(frozen=True, slots=True)
class Timesheet:
    lines: list[Line]  # by worker, day and batch
    totals: list[Total]  # most time first

    @property
    def seconds(self) -> float:
        return sum(total.seconds for total in self.totals)

    @property
    def submitted(self) -> int:
        return sum(total.submitted for total in self.totals)


def sheet(project: Project, first: date, last: date, *, zone: ZoneInfo, workers: Collection[int] = ()) -> Timesheet:
    """All measured time of the project from the first to the last day, inclusive, in the time zone `zone`.

    With `workers`, primary keys, only theirs.
    """
    sums: defaultdict[tuple[int, date, int], list[float]] = defaultdict(lambda: [0, 0, 0])
    for column, rows in _timed(first, last, zone):
        rows = rows.filter(worker__in=workers) if workers else rows.filter(worker__project=project)
        by_day = rows.order_by().values("worker", "batch", day=TruncDate(column, tzinfo=zone))
        counted = by_day.annotate(seconds=Sum("active_seconds"), number=Count("pk"))
        for worker, day, batch, seconds, number in counted.values_list("worker", "day", "batch", "seconds", "number"):
            line = sums[worker, day, batch]
            line[0] += seconds
            line[1 if column == "submitted_at" else 2] += number
    return _sheet(project, sums)


def workers_of(project: Project, first: date, last: date, *, zone: ZoneInfo) -> list[int]:
    """The primary keys of the workers on the sheet, by name."""
    submitted, ended = (Exists(rows.filter(worker=OuterRef("pk"))) for _column, rows in _timed(first, last, zone))
    worked = project.workers.filter(submitted | ended)
    return list(worked.order_by("user__username", "pk").values_list("pk", flat=True))


def _timed(first: date, last: date, zone: ZoneInfo) -> Iterator[tuple[str, QuerySet[Assignment]]]:
    """The measured assignments that were submitted in the period, and those that ended otherwise, with their column.

    Apart, because each has an index.
    """
    start = datetime.combine(first, time.min, tzinfo=zone)
    end = datetime.combine(last + timedelta(days=1), time.min, tzinfo=zone)
    rows = Assignment.objects.filter(NOT_IMPORTING, active_seconds__gt=0)
    yield "submitted_at", rows.filter(state=lifecycle.SUBMITTED, submitted_at__gte=start, submitted_at__lt=end)
    yield "ended_at", rows.filter(ENDED_OTHERWISE, ended_at__gte=start, ended_at__lt=end)


def _sheet(project: Project, sums: Mapping[Any, Any]) -> Timesheet:
    """From {(worker, day, batch): (seconds, submitted, ended otherwise)}."""
    workers = Worker.objects.select_related("user").in_bulk({key[0] for key in sums})
    batches = Batch.everything.in_bulk({key[2] for key in sums})  # with deleted batches: their work is paid too
    for worker in workers.values():
        worker.project = project
    lines = [
        Line(workers[worker_id], day, batches[batch], seconds, submitted, ended)
        for (worker_id, day, batch), (seconds, submitted, ended) in sorted(sums.items())
    ]
    by_worker: defaultdict[int, list[Line]] = defaultdict(list)
    for line in lines:
        by_worker[line.worker.pk].append(line)
    totals = [_total(some) for some in by_worker.values()]
    return Timesheet(lines, sorted(totals, key=lambda total: (-total.seconds, total.worker.pk)))


def _total(some: Sequence[Line]) -> Total:
    days = len({line.day for line in some})
    return Total(some[0].worker, days, sum(line.seconds for line in some), sum(line.submitted for line in some))


def as_csv(sheet: Timesheet, *, names: bool) -> str:
    """The sheet as CSV; `names`: include the workers' names, for readers who may see them."""
    named = [_("Name")] if names else []
    head = [_("Worker"), *named, _("Day"), _("Batch"), _("Submitted"), _("Returned"), _("Seconds"), _("Hours")]
    rows: list[list[str | float]] = []
    for line in sheet.lines:
        names_cells = [name_of(line.worker)] if names else []
        figures = [line.submitted, line.ended, round(line.seconds, 1), round(line.seconds / 3600, 4)]
        rows.append([line.worker.pseudonym, *names_cells, line.day.isoformat(), line.batch.slug, *figures])
    return table_files.csv(head, rows)


def name_of(worker: Worker) -> str:
    """A worker's name, for those who may see it."""
    return str(worker.user or worker.external_id)
