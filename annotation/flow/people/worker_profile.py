"""Figures on one worker over time (quality, speed, amount of work), and on many at a time; where workers are stuck."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from statistics import median
from typing import Any

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils import timezone
from django.utils.translation import gettext_lazy, gettext_noop

from annotation.flow.batches import practice_progress
from annotation.flow.lists import ListFilter
from annotation.flow.work import grading
from annotation.models import Assignment, Batch, Participation, ProblemReport, Project, Qualification, Worker
from annotation.models.assignment import NOT_IMPORTING
from annotation.pure.batches import lifecycle
from annotation.pure.setting_fields import setting

DAYS = 45  # of the chart of submissions
BATCHES = 20  # shown one by one, latest first
ANSWERS = 10  # shown as a sample


@dataclass(frozen=True)
class WorkerFilter(ListFilter):
    """Filters of workers."""

    order = ("-active", "pk")
    size = 100

    worker: str = setting("", help=gettext_noop("Name, pseudonym or ID"), length=64)
    active: bool | None = setting(None, label=gettext_noop("Active"), column="active")
    blocked: bool | None = setting(None, label=gettext_noop("Blocked"), column="block__isnull")
    qualification: str = setting("", help="With this qualification, by its id.", length=64)

    def narrow(self, project: Project, rows: QuerySet[Worker]) -> QuerySet[Worker]:
        held = Qualification.objects.filter(type__public_id=self.qualification, state="Granted", type__deleted_at=None)
        rows = rows.filter(pk__in=held.values("worker")) if self.qualification else rows
        named = Q(user__display_name__icontains=self.worker) | Q(user__username__icontains=self.worker)
        rows = rows.filter(named | Q(pk__in=project.workers_called(self.worker))) if self.worker else rows
        return super().narrow(project, rows)


@dataclass(frozen=True, slots=True)
class InBatch:
    """A worker's work in one batch; medians are of active seconds of submitted assignments, None without any."""

    batch: Batch
    submitted: int
    late: int
    returned: int
    problem_reports: int
    approved: int
    rejected: int
    median: float | None
    median_of_all: float | None

    @property
    def pace(self) -> float | None:
        """Their median time divided by that of all workers; below 1 is faster."""
        return self.median / self.median_of_all if self.median and self.median_of_all else None


def work_of(worker: Worker) -> QuerySet[Assignment]:
    """The worker's assignments, without the assignments of unfinished imports."""
    return worker.assignments.filter(NOT_IMPORTING)


def grades(worker: Worker) -> list[float]:
    """Grades of their responses to hidden gold and in rounds, oldest first."""
    graded = work_of(worker).filter(state=lifecycle.SUBMITTED)
    grades = graded.order_by("submitted_at", "pk").values_list("grade", flat=True)
    return [grade for grade in grades if grade is not None]


def agreements(worker: Worker) -> list[float]:
    """Agreement of their responses with the others' to the same HITs, over their last batches, oldest first."""
    found = [point for batch in _last_batches(worker) for point in grading.agreements_by_time(batch, worker.pk)]
    return [share for _when, share in sorted(found)]


def _last_batches(worker: Worker) -> list[Batch]:
    rows = Batch.objects.filter(pk__in=work_of(worker).order_by().values("batch")).select_related("project")
    return list(rows.annotate(last=Max("assignments__pk")).order_by("-last")[:BATCHES])


def by_batch(worker: Worker) -> list[InBatch]:
    """Their work by batch, latest first."""
    batches = _last_batches(worker)
    submitted = Q(state=lifecycle.SUBMITTED)
    work = work_of(worker).filter(batch__in=batches).order_by().values("batch")
    counted: Iterable[Any] = work.annotate(
        submitted=Count("pk", filter=submitted),
        late=Count("pk", filter=submitted & Q(late=True)),
        returned=Count("pk", filter=Q(state__in=[lifecycle.RETURNED, lifecycle.EXPIRED])),
        approved=Count("pk", filter=Q(approval=Assignment.Approved.APPROVED)),
        rejected=Count("pk", filter=Q(approval=Assignment.Approved.REJECTED)),
    )
    found = {row.pop("batch"): row for row in counted}
    reported = ProblemReport.objects.filter(assignment__worker=worker, assignment__batch__in=batches)
    problem_reports = Counter(reported.values_list("assignment__batch", flat=True))
    own, everybody = _medians(worker, batches)
    rows = []
    for batch in batches:
        medians: dict[str, Any] = {"median": own.get(batch.pk), "median_of_all": everybody.get(batch.pk)}
        rows.append(InBatch(batch, problem_reports=problem_reports[batch.pk], **medians, **found[batch.pk]))
    return rows


def _medians(worker: Worker, batches: list[Batch]) -> tuple[dict[int, float], dict[int, float]]:
    """Median active seconds by batch: the worker's, and that of all workers."""
    timed = Assignment.objects.filter(batch__in=batches, state=lifecycle.SUBMITTED, active_seconds__gt=0)
    own: defaultdict[int, list[float]] = defaultdict(list)
    everybody: defaultdict[int, list[float]] = defaultdict(list)
    for batch, worker_id, seconds in timed.values_list("batch", "worker", "active_seconds").iterator():
        everybody[batch].append(seconds)
        if worker_id == worker.pk:
            own[batch].append(seconds)
    return {pk: median(some) for pk, some in own.items()}, {pk: median(some) for pk, some in everybody.items()}


def by_day(worker: Worker) -> list[tuple[date, int]]:
    """Submissions per day in the current time zone, over the 45 days up to their last one; empty without any."""
    times = work_of(worker).filter(state=lifecycle.SUBMITTED, submitted_at__isnull=False)
    last = times.aggregate(last=Max("submitted_at"))["last"]
    if last is None:
        return []
    end = timezone.localtime(last).date()
    stamps = times.filter(submitted_at__gt=last - timedelta(days=DAYS)).values_list("submitted_at", flat=True)
    counted = Counter(timezone.localtime(when).date() for when in stamps.iterator())
    return [(day, counted[day]) for k in reversed(range(DAYS)) for day in [end - timedelta(days=k)]]


def latest(worker: Worker, *, count: int = ANSWERS) -> list[Assignment]:
    """Their latest submitted responses, newest first, with the HITs' content."""
    rows = work_of(worker).filter(state=lifecycle.SUBMITTED, batch__removed_at__isnull=True)
    rows = rows.select_related("batch", "hit__item").defer("hit__payload", "hit__item__content", "draft")
    return list(rows.order_by("-submitted_at", "-pk")[:count])


@dataclass(slots=True)
class WorkerActivity:
    """A worker's number of responses, time of the last one, and scores as (id, name, value)."""

    submitted: int = 0
    last: datetime | None = None
    held: list[tuple[str, str, int]] = field(default_factory=list)

    def add(self, submitted: int, last: datetime | None) -> None:
        """Count responses of which this was the last."""
        self.submitted += submitted
        self.last = max(filter(None, [self.last, last]), default=None)


def of_workers(workers: Sequence[Worker]) -> dict[int, WorkerActivity]:
    """Figures by the workers' keys, in four queries."""
    keys = [worker.pk for worker in workers]
    found: defaultdict[int, WorkerActivity] = defaultdict(WorkerActivity, {key: WorkerActivity() for key in keys})
    own = Assignment.objects.filter(worker=OuterRef("pk"))
    taken = Subquery(own.order_by("-accepted_at").values("accepted_at")[:1])  # by index, for each
    for key, time in Worker.objects.filter(pk__in=keys).values_list("pk", taken):
        found[key].add(0, time)
    rows = Participation.objects.filter(worker__in=keys).order_by().values("worker")
    for row in rows.annotate(n=Sum("done"), sent=Max("worked_at")):
        found[row["worker"]].add(row["n"], row["sent"])
    imported = Assignment.objects.filter(worker__in=keys, response_import__isnull=False).order_by().values("worker")
    submitted = Count("pk", filter=Q(state=Assignment.State.SUBMITTED))
    for row in imported.annotate(n=submitted, sent=Max("submitted_at")):
        found[row["worker"]].add(row["n"], row["sent"])
    granted = Qualification.objects.filter(worker__in=keys, state=Qualification.State.GRANTED)
    granted = granted.filter(type__deleted_at__isnull=True)
    for key, public_id, name, score in granted.order_by("pk").values_list(
        "worker", "type__public_id", "type__name", "value"
    ):
        found[key].held.append((public_id, name, score))
    return dict(found)


CONSENT, INSTRUCTIONS, PRACTICE, FIRST_RESPONSE = "consent", "instructions", "practice", "response"
NAMES = {
    CONSENT: gettext_lazy("consent"),
    INSTRUCTIONS: gettext_lazy("instructions"),
    PRACTICE: gettext_lazy("practice"),
    FIRST_RESPONSE: gettext_lazy("first response"),
}


def stages(workers: Iterable[Worker], submitted: Mapping[int, int]) -> dict[int, str]:
    """The stage of each active worker without a response, by key; `submitted`: responses by key.

    Somebody who began several batches is where they got furthest.
    """
    waiting = [w for w in workers if w.active and w.user_id is not None and not submitted.get(w.pk)]
    begun: defaultdict[int, list[Participation]] = defaultdict(list)
    rows = Participation.objects.filter(worker__in=[worker.pk for worker in waiting])
    for participation in rows.select_related("batch"):
        begun[participation.worker_id].append(participation)

    @cache
    def exercises(batch: Batch) -> int:
        return len(practice_progress.exercises(batch))

    def stage(worker: Worker) -> str:
        read = [one for one in begun[worker.pk] if one.instructions_version]
        if not worker.consented:
            return CONSENT
        if not read:
            return INSTRUCTIONS
        return FIRST_RESPONSE if any(one.practised >= exercises(one.batch) for one in read) else PRACTICE

    return {worker.pk: stage(worker) for worker in waiting}
