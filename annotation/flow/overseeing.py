"""A project at a glance: how its batches get on and what waits for its requesters, in as many queries for one batch as
for a hundred.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Case, Count, F, IntegerField, Min, OuterRef, Q, QuerySet, Subquery, Sum, Value, When

from annotation.flow import adjudicating, awaiting, doubting, ledger, messaging
from annotation.models import (
    Assignment,
    Batch,
    BatchNews,
    Drawn,
    Entry,
    Flag,
    Hit,
    Project,
    QualificationRequest,
    Review,
    Round,
    Seat,
    clock,
)
from annotation.pure import lifecycle, pace, reading

SHOWN = 12  # batches
PRESSING = awaiting.ALARM  # what is decided by itself this soon
STATES = [Batch.State.LAUNCHING, Batch.State.OPEN, Batch.State.PAUSED, Batch.State.DRAFT, Batch.State.CLOSED]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is: places filled of those wanted, at work now, answers in the last day, time left at that pace.

    `left` is None where nothing tells: no pace yet, nothing wanted, or it is not given out.
    """

    batch: Batch
    done: int = 0
    wanted: int = 0
    live: int = 0
    recent: int = 0
    left: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """So many of a kind wait for a requester, of a batch or a qualification type; `due`: until when."""

    kind: str  # review, adjudicate, gold, flags, approvals, requests, letters
    count: int
    of: Any = None
    due: datetime | None = None
    as_of: datetime | None = None  # counted then, where counting takes long


def running(project: Project, *, most: int = SHOWN) -> list[Progress]:
    """The project's batches: those at work first, then drafts, then what is closed, each newest first."""
    order = Case(*[When(state=s, then=Value(k)) for k, s in enumerate(STATES)], output_field=IntegerField())
    rows = project.batches.filter(round__isnull=True, hit_type__isnull=True).annotate(order=order)
    batches = list(rows.prefetch_related("datasets").order_by("order", "-created_at", "-pk")[:most])
    keys = [batch.pk for batch in batches if batch.launched_at]
    counted = Hit.objects.filter(batch__in=keys, voided_at__isnull=True, check_item=False).order_by().values("batch")
    places = {row["batch"]: row for row in counted.annotate(w=Sum("wanted"), d=Sum("done"), n=Sum("live"))}
    recent = _recent(keys)
    return [_progress(batch, places.get(batch.pk), recent.get(batch.pk, 0)) for batch in batches]


def _recent(keys: list[int]) -> dict[int, int]:
    """Answers in the last day, by batch."""
    rows = Assignment.objects.filter(batch__in=keys, submitted_at__gt=clock.now() - pace.WINDOW).order_by()
    return dict(rows.values("batch").annotate(n=Count("pk")).values_list("batch", "n"))


def _progress(batch: Batch, row: dict[str, int] | None, recent: int) -> Progress:
    if row is None or batch.launched_at is None:
        return Progress(batch)
    left = None
    if batch.state == Batch.State.OPEN:
        since = pace.window(batch.launched_at, clock.now())
        left = pace.left_for(row["w"] - row["d"], recent, since=since)
    return Progress(batch, row["d"], row["w"], row["n"], recent, left)


def rounds(project: Project, *, most: int = 6) -> list[Round]:
    """The project's newest rounds, each with `.begun` and `.passed`, how many workers began and passed."""
    rows = Round.objects.filter(batch__project=project, batch__removed_at=None).select_related("batch", "grants")
    counted = rows.annotate(
        begun=Count("taken__worker", distinct=True),
        passed=Count("taken__worker", distinct=True, filter=Q(taken__passed=True)),
    )
    return list(counted.order_by("-batch__created_at", "-pk")[:most])


def waiting(project: Project) -> list[Wait]:
    """Everything that waits for somebody who runs the project, what is due first."""
    found = [Wait("approvals", row["n"], _named(row), row["due"]) for row in awaiting.by_batch(project)]
    found += _by_batch("review", _unread(project))
    open_ones = Q(to_adjudicate__gt=0) | Q(in_doubt__gt=0)
    for news in BatchNews.objects.filter(open_ones, _there("batch", project)).select_related("batch"):
        found += _open(news)
    found += _by_batch("flags", _flags(project))
    asked = QualificationRequest.objects.filter(type__project=project, state=QualificationRequest.State.PENDING)
    for row in asked.order_by().values("type__public_id", "type__name").annotate(n=Count("pk")):
        found.append(Wait("requests", row["n"], {"slug": row["type__public_id"], "title": row["type__name"]}))
    if letters := messaging.unread_of(project).count():
        found.append(Wait("letters", letters))
    return found


def _there(batch: str, project: Project) -> Q:
    """Of a batch of the project that is not in the bin; `batch` is the way to it."""
    return Q(**{f"{batch}__project": project, f"{batch}__removed_at": None})


def _named(row: dict[str, Any]) -> dict[str, str]:
    return {"slug": row["batch__slug"], "title": row["batch__title"]}


def _by_batch(kind: str, rows: QuerySet[Any, dict[str, Any]]) -> list[Wait]:
    """`rows` have batch__slug, batch__title and n."""
    return [Wait(kind, row["n"], _named(row)) for row in rows]


def _unread(project: Project) -> QuerySet[Any, dict[str, Any]]:
    """Answers that were drawn to be read and on whose present revision no decision stands (pure/reading), by batch."""
    last = Review.objects.filter(assignment=OuterRef("assignment"), revision=OuterRef("assignment__revision"))
    rows = Drawn.objects.filter(_there("assignment__batch", project), assignment__state=lifecycle.SUBMITTED)
    rows = rows.annotate(last=Subquery(last.order_by("-pk").values("decision")[:1]))
    rows = rows.filter(Q(last__isnull=True) | Q(last=reading.REOPENED)).order_by()
    named = rows.annotate(batch__slug=F("assignment__batch__slug"), batch__title=F("assignment__batch__title"))
    return named.values("batch__slug", "batch__title").annotate(n=Count("pk"))


def _flags(project: Project) -> QuerySet[Any, dict[str, Any]]:
    rows = Flag.objects.filter(_there("assignment__batch", project), state=Flag.State.OPEN).order_by()
    named = rows.annotate(batch__slug=F("assignment__batch__slug"), batch__title=F("assignment__batch__title"))
    return named.values("batch__slug", "batch__title").annotate(n=Count("pk"), first=Min("created_at"))


def _open(news: BatchNews) -> list[Wait]:
    named = {"slug": news.batch.slug, "title": news.batch.title}
    counts = [("adjudicate", news.to_adjudicate), ("gold", news.in_doubt)]
    return [Wait(kind, n, named, as_of=news.counted_at) for kind, n in counts if n]


def count_open(batch: Batch) -> None:
    """Count what people leave open and the gold that they contradict, and keep it: it takes reading every answer."""
    doubted = [one for one in doubting.doubts(batch) if not one.decision] if doubting.can_tell(batch) else []
    found = {"to_adjudicate": len(adjudicating.queue(batch)), "in_doubt": len(doubted), "counted_at": clock.now()}
    BatchNews.objects.update_or_create(batch=batch, defaults=found)


def decided(batch: Batch, what: str, *, by: int = 1) -> None:
    """One less of `to_adjudicate` or `in_doubt` waits; with `by=-1` one more, since a decision was taken back."""
    rows = BatchNews.objects.filter(batch=batch, **{f"{what}__gte": max(by, 0)})
    rows.filter(counted_at__isnull=False).update(**{what: F(what) - by})


@dataclass(frozen=True, slots=True)
class Purse:
    """Dollars: free in the budget, set aside for batches, and gone from it for good."""

    free: Decimal
    held: Decimal
    spent: Decimal


def purse(project: Project) -> Purse | None:
    """The project's money in three numbers; None where none was ever put in."""
    moves = Entry.objects.filter(project=project, kind__in=["deposit", "withdrawal"]).aggregate(
        put_in=Sum("amount", filter=Q(kind="deposit"), default=Decimal(0)),
        taken=Sum("amount", filter=Q(kind="withdrawal"), default=Decimal(0)),
    )
    if not moves["put_in"]:
        return None
    free, held = ledger.balance(project, ledger.AVAILABLE), ledger.held_in_all(project)
    return Purse(free, held, moves["put_in"] - moves["taken"] - free - held)


def totals(project: Project) -> dict[str, int]:
    """{"datasets", "batches", "launched", "open", "annotators", "at_work", "members"}: at_work answered here today."""
    states = project.batches.filter(hit_type__isnull=True).aggregate(
        batches=Count("pk"),
        launched=Count("pk", filter=Q(launched_at__isnull=False)),
        open=Count("pk", filter=Q(state=Batch.State.OPEN)),
    )
    day = Seat.objects.filter(batch__project=project, worked_at__gt=clock.now() - pace.WINDOW)
    return states | {
        "datasets": project.datasets.whole().filter(batches__hit_type__isnull=True).distinct().count(),
        "annotators": project.workers.filter(active=True, user__isnull=False).count(),
        "at_work": day.values("worker").distinct().count(),
        "members": project.members.count(),
    }
