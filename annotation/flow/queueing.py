"""The outbox: jobs are rows, taken by whoever is free, and taken again when whoever took them died."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import recording, tracing, webhook_events
from annotation.flow.refusal import Refused
from annotation.models import Job, Project, User

LEASE = timedelta(seconds=60)
MOST_TRIES = 3
log = logging.getLogger(__name__)
ran = logging.getLogger("hopscribe.job")

Verb = Callable[[Job, "Progress"], dict[str, Any]]


class Lost(Exception):
    """Another run took the job over; this one must stop without a trace."""


class Progress:
    """How far a job has come. Telling it renews the lease; raises Lost when another run has the job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.leftovers: list[Callable[[], object]] = []

    def __call__(self, done: int, total: int) -> None:
        mine = Job.objects.filter(pk=self.job.pk, state=Job.State.RUNNING, tries=self.job.tries)
        if not mine.update(done=done, total=total, lease_until=Now() + LEASE):
            raise Lost

    def clear_at_end(self, clear: Callable[[], object]) -> None:
        """Call this once the job's end is stored: a run that takes over from one killed before still needs it all."""
        self.leftovers.append(clear)


def post(kind: str, *, project: Project, title: str, arguments: dict[str, Any], user: User | None = None) -> Job:
    """Write a job down, in the transaction of what it belongs to."""
    return Job.objects.create(
        kind=kind, project=project, title=title, arguments=arguments, created_by=user, due_at=Now()
    )


def take() -> Job | None:
    """Take the job that is due longest: a waiting one, or one whose run stopped renewing its lease.

    One that stopped so three times ends as failed: whatever kills its process, as a lack of memory, would again.
    """
    stopped = Q(state=Job.State.RUNNING, lease_until__lt=Now())
    free = Q(state=Job.State.WAITING) | stopped
    for job in Job.objects.filter(free, due_at__lte=Now()).order_by("due_at")[:20]:
        if job.state == Job.State.RUNNING and job.tries >= MOST_TRIES:
            _give_up(job, stopped)
            continue
        guard = Job.objects.filter(free, pk=job.pk, tries=job.tries)
        if guard.update(state=Job.State.RUNNING, tries=job.tries + 1, lease_until=Now() + LEASE):
            job.refresh_from_db()
            return job
    return None


@transaction.atomic
def _give_up(job: Job, stopped: Q) -> None:
    error = _(
        "Its process was ended %(n)s times before it was done. If the server ran out of memory (its system log says "
        "so), give it more, or split the data into smaller parts; then try again."
    ) % {"n": job.tries}
    mine = Job.objects.filter(stopped, pk=job.pk, tries=job.tries)
    if mine.update(state=Job.State.FAILED, error=error, ended_at=Now()):
        webhook_events.job_ended(job, Job.State.FAILED)


def run(job: Job, verbs: Mapping[str, Verb]) -> None:
    """Carry a taken job out, and tell the log how it ended."""
    token, began = tracing.current.set(job.public_id), time.perf_counter()
    try:
        outcome = _carry_out(job, verbs)
        seconds = round(time.perf_counter() - began, 3)
        told = {"job": job.public_id, "kind": job.kind, "tries": job.tries, "seconds": seconds, "outcome": outcome}
        ran.info("job", extra=told)
    finally:
        tracing.current.reset(token)


def _carry_out(job: Job, verbs: Mapping[str, Verb]) -> str:
    """A refusal is the job's result; a defect is tried again, at most three times in all. Says how it ended."""
    tell = Progress(job)
    try:
        with recording.acting(recording.Via.JOB, lambda: job.created_by):
            result = verbs[job.kind](job, tell)
    except Lost:
        return "lost"
    except Refused as refusal:
        _end(job, Job.State.FAILED, error=str(refusal), result=getattr(refusal, "report", {}))
        _clear(tell)
        return "refused"
    except Exception as defect:
        log.exception("job %s (%s) failed", job.public_id, job.kind)
        _fail(job, defect)
        return "defect"
    _end(job, Job.State.DONE, result=result, done=F("total"))
    _clear(tell)
    return "done"


def _clear(tell: Progress) -> None:
    for clear in tell.leftovers:
        clear()


@transaction.atomic
def _end(job: Job, state: str, **came_of_it: Any) -> None:
    """The job is over, unless another run ended it first; whoever asked is told."""
    if job.finish(state, ended_at=Now(), **came_of_it):
        webhook_events.job_ended(job, state)


def _fail(job: Job, defect: Exception) -> None:
    if job.tries < MOST_TRIES:
        job.finish(Job.State.WAITING, due_at=Now() + timedelta(seconds=5 * job.tries))
        return
    error = f"{type(defect).__name__}: {defect}"
    _end(job, Job.State.FAILED, error=error)


@transaction.atomic
def try_again(job: Job) -> bool:
    """Put a failed job back into the queue; False when it had not failed."""
    failed = Job.objects.filter(pk=job.pk, state=Job.State.FAILED)
    return bool(failed.update(state=Job.State.WAITING, tries=0, error="", due_at=Now(), ended_at=None))
