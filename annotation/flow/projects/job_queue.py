"""The queue of background jobs: rows taken by free workers, their heartbeat, and taken again if a worker dies."""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.derivations.base import Tally
from annotation.events import JobEnded, emit
from annotation.flow.data.item_writer import Filler, OnProgress
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log, request_context
from annotation.flow.projects.request_context import acting
from annotation.models import Dataset, Job, Project, User

LEASE = timedelta(seconds=60)
MOST_TRIES = 3
log = logging.getLogger(__name__)
ran = logging.getLogger("hopscribe.job")

Verb = Callable[[Job, "JobProgress"], dict[str, Any]]


class JobTakenOver(Exception):
    """Another run took over the job; this run must stop without side effects."""


class JobProgress:
    """Progress of a job. Reporting it renews the lease; raises JobTakenOver if another run has the job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.leftovers: list[Callable[[], object]] = []

    def __call__(self, done: int, total: int) -> None:
        row = Job.objects.filter(pk=self.job.pk, state=Job.State.RUNNING, tries=self.job.tries)
        if not row.update(done=done, total=total, lease_until=Now() + LEASE):
            raise JobTakenOver

    def clear_at_end(self, clear: Callable[[], object]) -> None:
        """Call this once the job's end is stored: a run that takes over before still needs the files."""
        self.leftovers.append(clear)


def post(kind: str, *, project: Project, title: str, arguments: dict[str, Any], user: User | None = None) -> Job:
    """Add a job, in the caller's transaction."""
    terms = {"title": title, "arguments": arguments, "created_by": user}
    return Job.objects.create(kind=kind, project=project, due_at=Now(), **terms)


def take(only: Job | None = None) -> Job | None:
    """Take the job that has been due longest: a waiting job, or one whose run stopped renewing its lease; or `only` it.

    A job that stopped three times fails, because the cause (such as lack of memory) would kill its process again.
    """
    stopped = Q(state=Job.State.RUNNING, lease_until__lt=Now())
    free = Q(state=Job.State.WAITING) | stopped
    due = Job.objects.filter(free, due_at__lte=Now(), **({"pk": only.pk} if only else {}))
    for job in due.order_by("due_at")[:20]:
        if job.state == Job.State.RUNNING and job.tries >= MOST_TRIES:
            _give_up(job, stopped)
            continue
        guard = Job.objects.filter(free, pk=job.pk, tries=job.tries)
        if guard.update(state=Job.State.RUNNING, tries=job.tries + 1, lease_until=Now() + LEASE):
            return Job.objects.select_related("project").get(pk=job.pk)
    return None


@transaction.atomic
def _give_up(job: Job, stopped: Q) -> None:
    error = _(
        "The job's process ended %(n)s times before the job was finished. If the server ran out of memory "
        "(see its system log), give it more memory or split the data into smaller parts. Then try again."
    ) % {"n": job.tries}
    row = Job.objects.filter(stopped, pk=job.pk, tries=job.tries)
    if row.update(state=Job.State.FAILED, error=error, ended_at=Now()):
        emit(JobEnded(job, Job.State.FAILED))


def run(job: Job, verbs: Mapping[str, Verb]) -> None:
    """Run a taken job, and log how it ended."""
    token, began = request_context.current.set(job.public_id), time.perf_counter()
    try:
        outcome = _carry_out(job, verbs)
        seconds = round(time.perf_counter() - began, 3)
        facts = {"job": job.public_id, "kind": job.kind, "tries": job.tries, "seconds": seconds, "outcome": outcome}
        ran.info("job", extra=facts)
    finally:
        request_context.current.reset(token)


def _carry_out(job: Job, verbs: Mapping[str, Verb]) -> str:
    """Run the function; a refusal is the job's result, a defect is tried three times. Returns how it ended."""
    progress = JobProgress(job)
    try:
        with acting(audit_log.Via.JOB, lambda: job.created_by):
            result = verbs[job.kind](job, progress)
    except JobTakenOver:  # the run that has it now ends it
        return "lost"
    except Refused as refusal:
        _end(job, Job.State.FAILED, error=str(refusal), result=getattr(refusal, "report", {}))
        _clear(progress)
        return "refused"
    except Exception as defect:
        log.exception("job %s (%s) failed", job.public_id, job.kind)
        _fail(job, defect)
        return "defect"
    _end(job, Job.State.DONE, result=result, done=F("total"))
    _clear(progress)
    return "done"


def _clear(progress: JobProgress) -> None:
    for clear in progress.leftovers:
        clear()


@transaction.atomic
def _end(job: Job, state: str, **came_of_it: Any) -> None:
    """End the job, unless another run ended it first, and emit JobEnded."""
    if job.finish(state, ended_at=Now(), **came_of_it):
        emit(JobEnded(job, state))


def _fail(job: Job, defect: Exception) -> None:
    if job.tries < MOST_TRIES:
        job.finish(Job.State.WAITING, due_at=Now() + timedelta(seconds=5 * job.tries))
    else:
        _end(job, Job.State.FAILED, error=f"{type(defect).__name__}: {defect}")


@transaction.atomic
def try_again(job: Job) -> bool:
    """Retry a failed job; False if it had not failed."""
    failed = Job.objects.filter(pk=job.pk, state=Job.State.FAILED)
    return bool(failed.update(state=Job.State.WAITING, tries=0, error="", due_at=Now(), ended_at=None))


BEAT = 1.0  # seconds between two signs of life


class DerivationProgress:
    """Called at every step of a derivation; reports progress once a second.

    Progress is the number of examples done out of all, or, while that is unknown, the number of steps (records read,
    candidates looked at) out of 0.
    """

    def __init__(self, tally: Tally, size: int, fillers: list[Filler], progress: OnProgress) -> None:
        self._tally, self._size, self._progress = tally, size, progress
        self._datasets = [filler.dataset.pk for filler in fillers]
        self._steps, self._last = 0, time.monotonic()

    def __call__(self) -> None:
        self._steps += 1
        if time.monotonic() - self._last < BEAT:
            return
        Dataset.objects.filter(pk__in=self._datasets, state=Dataset.State.IMPORTING).update(beat_at=Now())
        if 0 < self._tally.read < self._size:
            self._progress(self._tally.read, self._size)
        else:
            self._progress(self._steps, 0)
        self._last = time.monotonic()
