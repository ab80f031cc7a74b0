"""Notices: a sweep that detects events and notifies each person once.

BatchActivity stores the announcements of a batch, so that a sweep checks only possible changes. A Notice has a unique
key for its event, so that simultaneous sweeps notify nobody twice.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Now

from annotation import models
from annotation.flow.work import eligibility
from annotation.models import (
    Account,
    Assignment,
    Batch,
    BatchActivity,
    Comment,
    Entry,
    Hit,
    Job,
    Notice,
    Project,
    User,
    clock,
)
from annotation.models.compiled import compiled
from annotation.pure.batches import lifecycle, pace
from annotation.pure.people import requirements, roles

RECENT = timedelta(days=3)  # older events are no news
CHUNK = 500
Kind = Notice.Kind


def announce_due() -> None:
    """Notify of batches that opened, finished or stalled, of failed jobs, and of budgets that are running out."""
    _follow()
    for batch in _unannounced():
        _opened(batch)
    for news in _finished():
        _notify_finished(news)
    for news in _quiet():
        _notify_stalled(news)
    for job in _failed():
        _notify_failed(job)
    for project, left, put_in, key in _short():
        facts = {"left": f"{left:.2f}", "put_in": f"{put_in:.2f}"}
        notify(_members(project, roles.PAY), Kind.MONEY, project=project, key=key, facts=facts)


def notify(
    users: Iterable[User],
    kind: str,
    *,
    project: Project,
    key: str,
    batch: Batch | None = None,
    job: Job | None = None,
    comment: Comment | None = None,
    facts: dict[str, Any] | None = None,
) -> None:
    """Notify each user of an event, once for each `key`, unless they turned this kind off."""
    about = {"project": project, "kind": kind, "key": key, "batch": batch, "job": job, "comment": comment}
    rows = [Notice(user=user, facts=facts or {}, **about) for user in users if kind not in user.muted]
    Notice.objects.bulk_create(rows, batch_size=CHUNK, ignore_conflicts=True)


def _members(project: Project, act: str) -> list[User]:
    """Members who may do `act` in the project."""
    rows = models.Member.objects.filter(project=project, role__in=roles.who_may(act), user__is_active=True)
    return [row.user for row in rows.select_related("user")]


@compiled
def _unannounced() -> QuerySet[Batch]:
    return Batch.objects.filter(state=Batch.State.OPEN, activity__announced_at__isnull=True, activity__isnull=False)


def _follow() -> None:
    """Update which batches are open, and since when."""
    now = clock.now()
    if new := [BatchActivity(batch_id=pk, open_since=now) for (pk,) in _not_followed()]:
        BatchActivity.objects.bulk_create(new, ignore_conflicts=True)
    _note(_reopened(), open_since=now)
    _note(_halted(), open_since=None, stalled_at=None)
    _note(_wanting_again(), finished_at=None)
    _note(_going_on(), stalled_at=None)


def _note(found: list[tuple[int]], **columns: Any) -> None:
    """Update rows if there are any: an UPDATE of none would still lock an SQLite database for writing."""
    if found:
        BatchActivity.objects.filter(pk__in=[pk for (pk,) in found]).update(**columns)


# Looked for every few seconds, so by SQL that is kept.
@compiled
def _not_followed() -> QuerySet[Batch, tuple[int]]:
    rows = Batch.objects.filter(state=Batch.State.OPEN, by_program=False, activity__isnull=True)
    return rows.values_list("pk")


@compiled
def _reopened() -> QuerySet[BatchActivity, tuple[int]]:
    rows = BatchActivity.objects.filter(open_since__isnull=True, batch__state=Batch.State.OPEN)
    return rows.values_list("pk")


@compiled
def _halted() -> QuerySet[BatchActivity, tuple[int]]:
    rows = BatchActivity.objects.filter(open_since__isnull=False).exclude(batch__state=Batch.State.OPEN)
    return rows.values_list("pk")


@compiled
def _wanting_again() -> QuerySet[BatchActivity, tuple[int]]:
    return BatchActivity.objects.filter(Exists(_wanting()), finished_at__isnull=False).values_list("pk")


@compiled
def _going_on() -> QuerySet[BatchActivity, tuple[int]]:
    submitted = Assignment.objects.filter(batch=OuterRef("batch"), submitted_at__gt=OuterRef("stalled_at"))
    return BatchActivity.objects.filter(Exists(submitted), stalled_at__isnull=False).values_list("pk")


def _wanting() -> QuerySet[Hit]:
    """HITs of a BatchActivity's batch that still want a response and are not under way."""
    return _free(Hit.objects.filter(batch=OuterRef("batch")))


def _free(hits: QuerySet[Hit]) -> QuerySet[Hit]:
    """HITs that can be assigned, without hidden gold."""
    return hits.filter(room__gt=0, excluded_at__isnull=True, check_item=False)


@transaction.atomic
def _opened(batch: Batch) -> None:
    now = clock.now()
    claimed = BatchActivity.objects.filter(batch=batch, announced_at__isnull=True).update(announced_at=now)
    if not claimed or batch.on_marketplace or batch.launched_at is None or now - batch.launched_at > RECENT:
        return
    # of several arms workers hear once
    key = f"work/{batch.pk}" if batch.experiment_id is None else f"work/experiment-{batch.experiment_id}"
    notify(_able(batch), Kind.WORK, project=batch.project, key=key, batch=batch)


def _able(batch: Batch) -> list[User]:
    """Users who may work on the batch."""
    people = batch.project.workers.with_account().filter(user__is_active=True, block__isnull=True)
    if batch.workers.exists():
        people = people.filter(chosen_for=batch)
    conditions = requirements.read_all(batch.requirements)
    return [worker.user for worker in eligibility.able(people.select_related("user"), conditions) if worker.user]


@compiled
def _finished() -> QuerySet[BatchActivity]:
    """Open batches with nothing left to assign and nothing under way. Rounds never finish this way."""
    at_work = Assignment.objects.filter(batch=OuterRef("batch"), submitted_at__isnull=True, state=lifecycle.ACCEPTED)
    recent = Assignment.objects.filter(batch=OuterRef("batch"), submitted_at__gt=Now() - RECENT)
    rows = BatchActivity.objects.filter(open_since__isnull=False, finished_at__isnull=True, batch__round__isnull=True)
    rows = rows.filter(~Exists(_wanting()), ~Exists(at_work), Exists(recent))
    return rows.select_related("batch__project")


@transaction.atomic
def _notify_finished(news: BatchActivity) -> None:
    if not BatchActivity.objects.filter(pk=news.pk, finished_at__isnull=True).update(finished_at=clock.now()):
        return
    batch = news.batch
    hits = Hit.objects.filter(batch=batch, check_item=False, excluded_at__isnull=True)
    done = hits.aggregate(done=Sum("done"))["done"]
    key, facts = f"finished/{batch.pk}/{done}", {"answers": done}
    notify(_members(batch.project, roles.RUN), Kind.FINISHED, project=batch.project, key=key, batch=batch, facts=facts)


@compiled
def _quiet() -> QuerySet[BatchActivity]:
    """Open batches that want responses but got none for a while."""
    since = Now() - pace.QUIET
    recent = Assignment.objects.filter(batch=OuterRef("batch"), submitted_at__gt=since)
    rows = BatchActivity.objects.filter(stalled_at__isnull=True, open_since__lt=since)
    return rows.filter(~Exists(recent), Exists(_wanting())).select_related("batch__project")


@transaction.atomic
def _notify_stalled(news: BatchActivity) -> None:
    now, batch = clock.now(), news.batch
    last = batch.assignments.aggregate(last=Max("submitted_at"))["last"]
    left = _free(Hit.objects.filter(batch=batch)).aggregate(n=Sum("room", default=0))["n"]
    if not pace.stands_still(open_since=news.open_since or now, last=last, left=left, now=now):
        return
    if BatchActivity.objects.filter(pk=news.pk, stalled_at__isnull=True).update(stalled_at=now):
        begun = max(last, news.open_since) if last else news.open_since
        key, facts = f"stalled/{batch.pk}/{begun:%Y%m%d%H%M%S%f}", {"left": left}
        people = _members(batch.project, roles.RUN)
        notify(people, Kind.STALLED, project=batch.project, key=key, batch=batch, facts=facts)


@compiled
def _failed() -> QuerySet[Job]:
    """Recently failed jobs without a notice."""
    notices = Notice.objects.filter(job=OuterRef("pk"), created_at__gte=OuterRef("ended_at"))
    rows = Job.objects.filter(~Exists(notices), state=Job.State.FAILED, ended_at__gt=Now() - RECENT)
    return rows.select_related("project", "created_by")


def _notify_failed(job: Job) -> None:
    """Notify who started the job; if they left the project, everybody who could have started it."""
    people = _members(job.project, roles.RUN)
    own = [user for user in people if user.pk == job.created_by_id]
    key = f"failed/{job.pk}/{job.ended_at:%Y%m%d%H%M%S%f}"
    notify(own or people, Kind.FAILED, project=job.project, key=key, job=job)


def _short() -> list[tuple[Project, Any, Any, str]]:
    """(project, dollars left, dollars added, key) of projects with little money left; noticed once per deposit."""
    paying = Batch.objects.filter(state=Batch.State.OPEN, auto_approval__isnull=False).values("project")
    names = Q(name="available") | Q(name__startswith="held/")
    accounts = Account.objects.filter(names, project__in=paying).values("project").annotate(left=Sum("balance"))
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
