"""Noticing what people should hear of without asking, and telling each of them once: a sweep.

What was noticed of a batch stands in its BatchNews, so that a round looks only at what may have changed; a Notice has a
key for its event, so that two rounds at once tell nobody twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Sum

from annotation.flow import eligibility
from annotation.models import (
    Account,
    Assignment,
    Batch,
    BatchNews,
    Entry,
    Hit,
    Job,
    Member,
    Notice,
    Project,
    User,
    clock,
)
from annotation.pure import lifecycle, pace, requirements, roles

RECENT = timedelta(days=3)  # what happened longer ago is no news
CHUNK = 500
Kind = Notice.Kind


def announce_due() -> None:
    """Tell of batches that opened, are finished or stand still, of failed jobs, and of budgets that run out."""
    _follow()
    for batch in Batch.objects.filter(state=Batch.State.OPEN, news__told_at__isnull=True, news__isnull=False):
        _opened(batch)
    for news in _finished():
        _tell_finished(news)
    for news in _quiet():
        _tell_stalled(news)
    for job in _failed():
        _tell_failed(job)
    for project, left, put_in, key in _short():
        facts = {"left": f"{left:.2f}", "put_in": f"{put_in:.2f}"}
        tell(_members(project, roles.PAY), Kind.MONEY, project=project, key=key, facts=facts)


def tell(
    users: Iterable[User],
    kind: str,
    *,
    project: Project,
    key: str,
    batch: Batch | None = None,
    job: Job | None = None,
    facts: dict[str, Any] | None = None,
) -> None:
    """Tell each of an event, once for each `key`, but for those who do not want to hear of this kind."""
    rows = [
        Notice(user=user, project=project, kind=kind, key=key, batch=batch, job=job, facts=facts or {})
        for user in users
        if kind not in user.muted
    ]
    if not rows:
        return
    Notice.objects.bulk_create(rows, batch_size=CHUNK, ignore_conflicts=True)


def _members(project: Project, act: str) -> list[User]:
    """Who may do `act` in the project."""
    rows = Member.objects.filter(project=project, role__in=roles.who_may(act), user__is_active=True)
    return [row.user for row in rows.select_related("user")]


def _follow() -> None:
    """Note which of our batches are given out, and since when; what ended or paused is not any more."""
    now, ours = clock.now(), Batch.objects.filter(state=Batch.State.OPEN, hit_type__isnull=True)
    new = list(ours.filter(news__isnull=True).values_list("pk", flat=True))
    if new:
        BatchNews.objects.bulk_create([BatchNews(batch_id=pk, open_since=now) for pk in new], ignore_conflicts=True)
    news = BatchNews.objects
    _note(news.filter(open_since__isnull=True, batch__state=Batch.State.OPEN), open_since=now)
    halted = news.filter(open_since__isnull=False).exclude(batch__state=Batch.State.OPEN)
    _note(halted, open_since=None, stalled_at=None)
    _note(news.filter(Exists(_wanting()), finished_at__isnull=False), finished_at=None)
    answered = Assignment.objects.filter(batch=OuterRef("batch"), submitted_at__gt=OuterRef("stalled_at"))
    _note(news.filter(Exists(answered), stalled_at__isnull=False), stalled_at=None)


def _note(rows: QuerySet[BatchNews], **columns: Any) -> None:
    """Write to the rows, where there are any: a round that finds nothing must not lock the database for writing."""
    if keys := list(rows.values_list("pk", flat=True)):
        BatchNews.objects.filter(pk__in=keys).update(**columns)


def _wanting() -> QuerySet[Hit]:
    """HITs of a BatchNews' batch that want an answer which nobody is at."""
    return _free(Hit.objects.filter(batch=OuterRef("batch")))


def _free(hits: QuerySet[Hit]) -> QuerySet[Hit]:
    """Those with a free place; hidden gold may keep some for ever, since nothing waits for its answers."""
    return hits.filter(room__gt=0, voided_at__isnull=True, check_item=False)


@transaction.atomic
def _opened(batch: Batch) -> None:
    now = clock.now()
    mine = BatchNews.objects.filter(batch=batch, told_at__isnull=True).update(told_at=now)
    if not mine or batch.connection_id or batch.launched_at is None or now - batch.launched_at > RECENT:
        return
    tell(_able(batch), Kind.WORK, project=batch.project, key=f"work/{batch.pk}", batch=batch)


def _able(batch: Batch) -> list[User]:
    """Whoever may take work of the batch."""
    people = batch.project.workers.filter(active=True, user__is_active=True, block__isnull=True)
    if batch.workers.exists():
        people = people.filter(chosen_for=batch)
    asked = requirements.read_all(batch.requirements)
    return [worker.user for worker in eligibility.able(people.select_related("user"), asked) if worker.user]


def _finished() -> QuerySet[BatchNews]:
    """Of batches given out in which nothing is left to do: no free place, nobody at work. Those of rounds never end."""
    at_work = Assignment.objects.filter(batch=OuterRef("batch"), submitted_at__isnull=True, state=lifecycle.ACCEPTED)
    recent = Assignment.objects.filter(batch=OuterRef("batch"), submitted_at__gt=clock.now() - RECENT)
    rows = BatchNews.objects.filter(open_since__isnull=False, finished_at__isnull=True, batch__round__isnull=True)
    rows = rows.filter(~Exists(_wanting()), ~Exists(at_work), Exists(recent))
    return rows.select_related("batch__project")


@transaction.atomic
def _tell_finished(news: BatchNews) -> None:
    if not BatchNews.objects.filter(pk=news.pk, finished_at__isnull=True).update(finished_at=clock.now()):
        return
    batch = news.batch
    done = Hit.objects.filter(batch=batch, check_item=False, voided_at__isnull=True).aggregate(done=Sum("done"))["done"]
    key, facts = f"finished/{batch.pk}/{done}", {"answers": done}
    tell(_members(batch.project, roles.RUN), Kind.FINISHED, project=batch.project, key=key, batch=batch, facts=facts)


def _quiet() -> list[BatchNews]:
    """Of batches that are given out, want answers, and got none for a while."""
    now = clock.now()
    recent = Assignment.objects.filter(batch=OuterRef("batch"), submitted_at__gt=now - pace.QUIET)
    rows = BatchNews.objects.filter(stalled_at__isnull=True, open_since__lt=now - pace.QUIET)
    return list(rows.filter(~Exists(recent), Exists(_wanting())).select_related("batch__project"))


@transaction.atomic
def _tell_stalled(news: BatchNews) -> None:
    now, batch = clock.now(), news.batch
    last = batch.assignments.aggregate(last=Max("submitted_at"))["last"]
    left = _free(Hit.objects.filter(batch=batch)).aggregate(n=Sum("room", default=0))["n"]
    if not pace.stands_still(open_since=news.open_since, last=last, left=left, now=now):
        return
    if BatchNews.objects.filter(pk=news.pk, stalled_at__isnull=True).update(stalled_at=now):
        begun = max(last, news.open_since) if last else news.open_since
        key, facts = f"stalled/{batch.pk}/{begun:%Y%m%d%H%M%S%f}", {"left": left}
        tell(_members(batch.project, roles.RUN), Kind.STALLED, project=batch.project, key=key, batch=batch, facts=facts)


def _failed() -> QuerySet[Job]:
    """Jobs that failed lately and that nobody was told of since."""
    told = Notice.objects.filter(job=OuterRef("pk"), created_at__gte=OuterRef("ended_at"))
    rows = Job.objects.filter(~Exists(told), state=Job.State.FAILED, ended_at__gt=clock.now() - RECENT)
    return rows.select_related("project", "created_by")


def _tell_failed(job: Job) -> None:
    """Whoever started it, as long as they are in the project; else everybody who could have."""
    people = _members(job.project, roles.RUN)
    own = [user for user in people if user.pk == job.created_by_id]
    key = f"failed/{job.pk}/{job.ended_at:%Y%m%d%H%M%S%f}"
    tell(own or people, Kind.FAILED, project=job.project, key=key, job=job)


def _short() -> list[tuple[Project, Any, Any, str]]:
    """(project, dollars left, dollars put in, key) of those that pay and have little left; told once a deposit."""
    paying = Batch.objects.filter(state=Batch.State.OPEN, auto_approval__isnull=False).values("project")
    ours = Q(name="available") | Q(name__startswith="held/")
    accounts = Account.objects.filter(ours, project__in=paying).values("project").annotate(left=Sum("balance"))
    left = {row["project"]: row["left"] for row in accounts}
    moves = Entry.objects.filter(project__in=left, kind__in=["deposit", "withdrawal"]).order_by()
    sums = moves.values("project").annotate(
        put_in=Sum("amount", filter=Q(kind="deposit"), default=0),
        taken=Sum("amount", filter=Q(kind="withdrawal"), default=0),
        last=Max("pk", filter=Q(kind="deposit")),
    )
    found = []
    for row in sums:
        key, net = f"money/{row['project']}/{row['last']}", row["put_in"] - row["taken"]
        low = pace.runs_out(available=left[row["project"]], put_in=net)
        if low and not Notice.objects.filter(project=row["project"], kind=Kind.MONEY, key=key).exists():
            found.append((Project.objects.get(pk=row["project"]), left[row["project"]], net, key))
    return found
