"""A project at a glance: progress of its batches, and open work for its requesters.

The number of queries does not depend on the number of batches.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, cast

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)  # fmt: skip

from annotation import models
from annotation.flow.money import ledger
from annotation.flow.notifications import worker_messages
from annotation.flow.review import adjudication, approval_queue, conclusions, gold_in_doubt
from annotation.models import Batch, BatchActivity, ProblemReport, Project, QualificationRequest, clock
from annotation.pure.batches import lifecycle, pace
from annotation.pure.batches.next_step import NextStep
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


def running(project: Project, *, most: int = SHOWN) -> list[BatchProgress]:
    """The project's batches: active ones first, then drafts, then closed ones, each newest first."""
    order = Case(*[When(state=s, then=Value(k)) for k, s in enumerate(STATES)], output_field=IntegerField())
    shown = project.batches.filter(round__isnull=True, by_program=False).annotate(order=order)
    batches = list(shown.prefetch_related("datasets").order_by("order", "-created_at", "-pk")[:most])
    keys = [batch.pk for batch in batches if batch.launched_at]
    stored = models.BatchFigure.objects.current().filter(batch__in=keys, name="progress")
    rows = {row.batch_id: row.value | {"as_of": row.counted_at} for row in stored}
    others = [key for key in keys if key not in rows]
    hits = models.Hit.objects.filter(batch__in=others, excluded_at__isnull=True, check_item=False).order_by()
    sums = {"wanted": Sum("wanted"), "done": Sum("done"), "live": Sum("live")}
    recent = _recent(others)
    for key, *counts in hits.values("batch").annotate(**sums).values_list("batch", *sums):
        rows[key] = dict(zip(sums, counts, strict=True))
    return [_progress(batch, rows.get(batch.pk), recent.get(batch.pk, 0)) for batch in batches]


def _recent(keys: list[int]) -> dict[int, int]:
    """Responses of the last day, by batch; imported ones are no work of that day."""
    rows = models.Assignment.objects.filter(batch__in=keys, response_import=None).order_by()
    rows = rows.filter(submitted_at__gt=clock.now() - pace.WINDOW)
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


def waiting(project: Project, batch: Batch | None = None) -> list[NextStep]:
    """Open decisions of the project's requesters, or in one batch of it; `in_order` puts them in order."""
    own = _within("assignment__batch", project, batch)
    found = _by_batch("review", _unread(own), since="sample__created_at", paid="assignment__")
    open_reports = ProblemReport.objects.filter(own, state=ProblemReport.State.OPEN)
    found += _by_batch("problem_reports", open_reports, since="created_at")
    if batch is None or batch.auto_approval is not None:
        unpaid = approval_queue.waiting(project).filter(_within("batch", project, batch))
        found += _by_batch("approvals", unpaid, of="batch", since="submitted_at", paid="")
    open_ones = Q(to_adjudicate__gt=0) | Q(in_doubt__gt=0)
    activity = BatchActivity.objects.filter(open_ones, _within("batch", project, batch))
    for news in activity.select_related("batch"):
        counts = [("adjudicate", news.to_adjudicate), ("gold", news.in_doubt)]
        found += [NextStep(kind, n, subject_of(news.batch)) for kind, n in counts if n]
    return found if batch else found + _people(project)


def _within(path: str, project: Project, batch: Batch | None) -> Q:
    """Condition on the batch, or on any of the project that is not deleted; `path` leads to it."""
    return Q(**{path: batch} if batch else {f"{path}__project": project, f"{path}__removed_at": None})


def subject_of(batch: Batch) -> dict[str, str]:
    """The batch that a step belongs to."""
    return {"slug": batch.slug, "title": batch.title}


def _by_batch(
    kind: str, rows: QuerySet[Any], *, of: str = "assignment__batch", since: str, paid: str | None = None
) -> list[NextStep]:
    """The rows counted by batch; `paid` leads to their assignment if they are to be decided before it is paid."""
    named = rows.annotate(slug=F(f"{of}__slug"), title=F(f"{of}__title")).order_by().values("slug", "title")
    times = {"since": Min(since)}
    if paid is not None:
        times["due"] = Min(f"{paid}auto_approve_at", filter=Q(**{f"{paid}approval": ""}))
    return [
        NextStep(kind, row.pop("n"), row, due=row.pop("due", None), since=row.pop("since"))
        for row in named.annotate(n=Count("pk"), **times)
    ]


def _people(project: Project) -> list[NextStep]:
    """Requests for qualifications, and messages from workers."""
    requests = QualificationRequest.objects.filter(type__project=project, state=QualificationRequest.State.PENDING)
    counted = requests.order_by().values_list("type__public_id", "type__name").annotate(n=Count("pk"))
    found = [NextStep("requests", n, {"slug": slug, "title": title}) for slug, title, n in counted]
    unread = dict(worker_messages.unread_of(project).order_by().values_list("worker").annotate(n=Count("pk")))
    named = ", ".join(map(project.pseudonym, list(unread)[:3])) + ", …" * (len(unread) > 3)
    writers = {"slug": str(*unread) if len(unread) == 1 else "", "title": named}
    return found + ([NextStep("messages", sum(unread.values()), writers)] if unread else [])


def with_ages(batch: Batch, steps: Iterable[NextStep]) -> list[NextStep]:
    """The steps in this batch, also with the time since when HITs wait: that of their last response."""
    hits = {"adjudicate": adjudication.waiting, "gold": gold_in_doubt.undecided}
    return [replace(step, since=_oldest(hits[step.kind](batch))) if step.kind in hits else step for step in steps]


def _oldest(hits: QuerySet[models.Hit]) -> datetime | None:
    rows = models.Assignment.objects.submitted().filter(hit__in=hits.order_by().values("pk")).order_by()
    last = rows.values("hit").annotate(last=Max("submitted_at"))
    return cast(datetime | None, last.aggregate(since=Min("last"))["since"])


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
    BatchActivity.objects.update_or_create(batch=batch, defaults={**counts, "counted_at": clock.now()})


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
