"""A project at a glance: progress of its batches, and open work for its requesters.

The number of queries does not depend on the number of batches.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Case, Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value, When

from annotation import models
from annotation.flow.money import ledger
from annotation.flow.notifications import worker_messages
from annotation.flow.review import adjudication, approval_queue, conclusions, gold_in_doubt
from annotation.models import Batch, BatchActivity, ProblemReport, Project, QualificationRequest, clock
from annotation.pure.batches import lifecycle, pace
from annotation.pure.review import review_state

SHOWN = 12  # batches shown
PRESSING = approval_queue.ALARM  # automatic approvals this soon are urgent
STATES = [Batch.State.LAUNCHING, Batch.State.OPEN, Batch.State.PAUSED, Batch.State.DRAFT, Batch.State.CLOSED]


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """Progress of a batch: assignments filled of those wanted, under way, responses of the last day, time left.

    `left` is None if it cannot be estimated: no pace yet, nothing wanted, or the batch is not open.
    `as_of`: time of the figures of a large batch, which a sweep counts (flow/batches/cached_figures).
    """

    batch: Batch
    done: int = 0
    wanted: int = 0
    live: int = 0
    recent: int = 0
    left: timedelta | None = None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class OpenDecisions:
    """A number of open decisions of one kind, in a batch or on a qualification; `due`: deadline."""

    kind: str  # review, adjudicate, gold, problem_reports, approvals, requests, messages
    count: int
    of: Any = None
    due: datetime | None = None
    as_of: datetime | None = None  # time of the count, if counting is slow


def running(project: Project, *, most: int = SHOWN) -> list[BatchProgress]:
    """The project's batches: active ones first, then drafts, then closed ones, each newest first."""
    order = Case(*[When(state=s, then=Value(k)) for k, s in enumerate(STATES)], output_field=IntegerField())
    rows = project.batches.filter(round__isnull=True, by_program=False).annotate(order=order)
    batches = list(rows.prefetch_related("datasets").order_by("order", "-created_at", "-pk")[:most])
    keys = [batch.pk for batch in batches if batch.launched_at]
    stored = models.BatchFigure.objects.current().filter(batch__in=keys, name="progress")
    rows = {row.batch_id: row.value | {"as_of": row.counted_at} for row in stored}
    others = [key for key in keys if key not in rows]
    hits = models.Hit.objects.filter(batch__in=others, excluded_at__isnull=True, check_item=False).order_by()
    sums = {"wanted": Sum("wanted"), "done": Sum("done"), "live": Sum("live")}
    recent = _recent(others)
    for row in hits.values("batch").annotate(**sums):
        rows[row.pop("batch")] = row
    return [_progress(batch, rows.get(batch.pk), recent.get(batch.pk, 0)) for batch in batches]


def _recent(keys: list[int]) -> dict[int, int]:
    """Responses of the last day, by batch."""
    rows = models.Assignment.objects.filter(batch__in=keys, submitted_at__gt=clock.now() - pace.WINDOW).order_by()
    return dict(rows.values("batch").annotate(n=Count("pk")).values_list("batch", "n"))


def _progress(batch: Batch, row: dict[str, Any] | None, recent: int) -> BatchProgress:
    if row is None or batch.launched_at is None:
        return BatchProgress(batch)
    found = BatchProgress(batch, **{"recent": recent} | row)
    if batch.state != Batch.State.OPEN:
        return found
    since = pace.window(batch.launched_at, clock.now())
    return replace(found, left=pace.left_for(found.wanted - found.done, found.recent, since=since))


def rounds(project: Project, *, most: int = 6) -> list[models.QualificationRound]:
    """The project's newest rounds with `.begun` and `.passed`, the numbers of workers."""
    rows = models.QualificationRound.objects.filter(batch__project=project, batch__removed_at=None).annotate(
        begun=Count("taken__worker", distinct=True),
        passed=Count("taken__worker", distinct=True, filter=Q(taken__passed=True)),
    )
    return list(rows.select_related("batch", "grants").order_by("-batch__created_at", "-pk")[:most])


def waiting(project: Project) -> list[OpenDecisions]:
    """All open decisions for the project's requesters, most urgent first."""
    found = [OpenDecisions("approvals", row["n"], _named(row), row["due"]) for row in approval_queue.by_batch(project)]
    found += _by_batch("review", _unread(_in_project("assignment__batch", project)))
    open_ones = Q(to_adjudicate__gt=0) | Q(in_doubt__gt=0)
    for news in BatchActivity.objects.filter(open_ones, _in_project("batch", project)).select_related("batch"):
        named = {"slug": news.batch.slug, "title": news.batch.title}
        counts = [("adjudicate", news.to_adjudicate), ("gold", news.in_doubt)]
        found += [OpenDecisions(kind, n, named, as_of=news.counted_at) for kind, n in counts if n]
    open_reports = ProblemReport.objects.filter(state=ProblemReport.State.OPEN)
    found += _by_batch("problem_reports", open_reports.filter(_in_project("assignment__batch", project)))
    requests = QualificationRequest.objects.filter(type__project=project, state=QualificationRequest.State.PENDING)
    for row in requests.order_by().values("type__public_id", "type__name").annotate(n=Count("pk")):
        found.append(OpenDecisions("requests", row["n"], {"slug": row["type__public_id"], "title": row["type__name"]}))
    if messages := worker_messages.unread_of(project).count():
        found.append(OpenDecisions("messages", messages))
    return found


def _in_project(batch: str, project: Project) -> Q:
    """Condition on a batch of the project that is not deleted; `batch` is the path to it."""
    return Q(**{f"{batch}__project": project, f"{batch}__removed_at": None})


def _named(row: dict[str, Any]) -> dict[str, str]:
    return {"slug": row["batch__slug"], "title": row["batch__title"]}


def _by_batch(kind: str, rows: QuerySet[Any]) -> list[OpenDecisions]:
    """Open decisions from rows with an assignment, by its batch."""
    named = rows.annotate(batch__slug=F("assignment__batch__slug"), batch__title=F("assignment__batch__title"))
    counted = named.order_by().values("batch__slug", "batch__title").annotate(n=Count("pk"))
    return [OpenDecisions(kind, row["n"], _named(row)) for row in counted]


def open_decisions(batch: Batch) -> dict[str, int]:
    """Numbers of open decisions of a batch by kind, as in `OpenDecisions`."""
    counts = BatchActivity.objects.filter(batch=batch).values_list("to_adjudicate", "in_doubt").first()
    to_adjudicate, in_doubt = counts or (0, 0)
    return {
        "review": _unread(Q(assignment__batch=batch)).count(),
        "adjudicate": to_adjudicate,
        "gold": in_doubt,
        "problem_reports": ProblemReport.objects.filter(
            assignment__batch=batch, state=ProblemReport.State.OPEN
        ).count(),
        "approvals": approval_queue.waiting(batch.project).filter(batch=batch).count()
        if batch.auto_approval is not None
        else 0,
    }


def _unread(where: Q) -> QuerySet[models.SampledAssignment]:
    """Drawn responses whose current revision nobody reviewed (pure/review/review_state)."""
    last = models.Review.objects.filter(assignment=OuterRef("assignment"), revision=OuterRef("assignment__revision"))
    rows = models.SampledAssignment.objects.filter(where)
    decision = Subquery(last.order_by("-pk").values("decision")[:1])
    rows = rows.filter(assignment__state=lifecycle.SUBMITTED).annotate(last=decision)
    return rows.filter(Q(last__isnull=True) | Q(last=review_state.REOPENED))


def count_open(batch: Batch) -> None:
    """Count and store HITs to adjudicate and gold in doubt; slow where many have changed."""
    conclusions.catch_up(batch)
    counts = {"to_adjudicate": adjudication.waiting(batch).count(), "in_doubt": gold_in_doubt.undecided(batch).count()}
    counts |= {"counted_at": clock.now()}
    BatchActivity.objects.update_or_create(batch=batch, defaults=counts)


def decided(batch: Batch, what: str, *, by: int = 1) -> None:
    """Decrease the count `to_adjudicate` or `in_doubt`; with `by=-1` increase it, when a decision is undone."""
    rows = BatchActivity.objects.filter(batch=batch, **{f"{what}__gte": max(by, 0)})
    rows.filter(counted_at__isnull=False).update(**{what: F(what) - by})


@dataclass(frozen=True, slots=True)
class ProjectMoney:
    """Dollars in the budget, set aside for batches, and spent."""

    free: Decimal
    held: Decimal
    spent: Decimal


def project_money(project: Project) -> ProjectMoney | None:
    """The project's money in three numbers; None if it never had any."""
    moves = models.Entry.objects.filter(project=project, kind__in=["deposit", "withdrawal"]).aggregate(
        put_in=Sum("amount", filter=Q(kind="deposit"), default=Decimal(0)),
        taken=Sum("amount", filter=Q(kind="withdrawal"), default=Decimal(0)),
    )
    if not moves["put_in"]:
        return None
    free, held = ledger.balance(project, ledger.AVAILABLE), ledger.held_in_all(project)
    return ProjectMoney(free, held, moves["put_in"] - moves["taken"] - free - held)


def totals(project: Project) -> dict[str, int]:
    """{"datasets", "batches", "launched", "open", "annotators", "at_work", "members"}; at_work: who answered today."""
    states = project.batches.filter(by_program=False).aggregate(
        batches=Count("pk"),
        launched=Count("pk", filter=Q(launched_at__isnull=False)),
        open=Count("pk", filter=Q(state=Batch.State.OPEN)),
    )
    day = models.Participation.objects.filter(batch__project=project, worked_at__gt=clock.now() - pace.WINDOW)
    return states | {
        "datasets": project.datasets.whole().exclude(batches__by_program=True).count(),
        "annotators": project.workers.with_account().count(),
        "at_work": day.values("worker").distinct().count(),
        "members": project.members.count(),
    }
