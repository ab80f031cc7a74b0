"""Hours sheet: active time of each worker by day, for labs that pay by the hour.

It sums the same active seconds as wages, so that both agree. An assignment counts on the day of its submission, return
or expiry, because its time is stored as one sum; assignments under way count once they end.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.utils.translation import gettext as _

from annotation.models import Assignment, Batch, Project, Worker
from annotation.models.assignment import NOT_IMPORTING
from annotation.pure.batches import lifecycle
from annotation.pure.reports import table_formats


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
class Sheet:
    lines: list[Line]  # by worker, day and batch
    totals: list[Total]  # most time first

    @property
    def seconds(self) -> float:
        return sum(total.seconds for total in self.totals)

    @property
    def submitted(self) -> int:
        return sum(total.submitted for total in self.totals)


def sheet(project: Project, first: date, last: date, *, zone: ZoneInfo) -> Sheet:
    """All measured time of the project from the first to the last day, inclusive, in the time zone `zone`."""
    start = datetime.combine(first, time.min, tzinfo=zone)
    end = datetime.combine(last + timedelta(days=1), time.min, tzinfo=zone)
    rows = Assignment.objects.filter(worker__project=project, active_seconds__gt=0).exclude(state=lifecycle.ACCEPTED)
    rows = rows.filter(NOT_IMPORTING)
    timed = rows.annotate(ended=Coalesce(F("submitted_at"), F("ended_at"))).filter(ended__gte=start, ended__lt=end)
    by_day = timed.order_by().values("worker", "batch", day=TruncDate("ended", tzinfo=zone))
    is_submitted = Q(state=lifecycle.SUBMITTED)
    counted = by_day.annotate(
        seconds=Sum("active_seconds"), done=Count("pk", filter=is_submitted), other=Count("pk", filter=~is_submitted)
    )
    columns = ("worker", "day", "batch", "seconds", "done", "other")
    return _sheet(project, {tuple(row[:3]): row[3:] for row in counted.values_list(*columns)})


def _sheet(project: Project, sums: dict[Any, Any]) -> Sheet:
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
    return Sheet(lines, sorted(totals, key=lambda total: (-total.seconds, total.worker.pk)))


def _total(some: Sequence[Line]) -> Total:
    days = len({line.day for line in some})
    return Total(some[0].worker, days, sum(line.seconds for line in some), sum(line.submitted for line in some))


def as_csv(found: Sheet, *, names: bool) -> str:
    """The sheet as CSV; `names`: include the workers' names, for readers who may see them."""
    named = [_("Name")] if names else []
    head = [_("Worker"), *named, _("Day"), _("Batch"), _("Submitted"), _("Changes requested"), _("Seconds"), _("Hours")]
    rows: list[list[str | float]] = []
    for line in found.lines:
        names_cells = [name_of(line.worker)] if names else []
        figures = [line.submitted, line.ended, round(line.seconds, 1), round(line.seconds / 3600, 4)]
        rows.append([line.worker.pseudonym, *names_cells, line.day.isoformat(), line.batch.slug, *figures])
    return table_formats.csv(head, rows)


def name_of(worker: Worker) -> str:
    """A worker's name, for those who may see it."""
    return str(worker.user or worker.external_id)
