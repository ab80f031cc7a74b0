"""The times at which the demo's workers worked: what took them seconds over HTTP becomes sittings over three days.

It changes rows of the simulated workers only, before anybody decided on their responses. What each of them did stays
in its order, and what is due some time after a submission stays due as long after it. The log, the ledger and the
responses' own rows cannot be changed, and keep the real times.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import ceil
from random import Random

from django.db import transaction

from annotation.models import (
    Assignment,
    Attempt,
    Batch,
    Instructions,
    Participation,
    ProblemReport,
    Project,
    Worker,
    clock,
)
from annotation.pure.batches import lifecycle

SITTINGS = (67, 56, 45, 33, 21, 8)  # hours ago at which they begin
LEAST = 8  # assignments of a sitting
LAUNCHED = 69  # hours ago
FIELDS = ["accepted_at", "submitted_at", "ended_at", "lease_until", "auto_approve_at"]


def set_back(public_id: str, seconds: float) -> None:
    """Let an assignment have begun so many seconds ago: active time is at most the time since it was accepted."""
    began = clock.now() - timedelta(seconds=seconds)
    Assignment.objects.filter(public_id=public_id).update(accepted_at=began)


@transaction.atomic
def spread(project: Project, batches: Sequence[Batch], names: Iterable[str]) -> None:
    """Set the times of the batches, in the order in which they were worked on, and of what these workers did there."""
    now = clock.now()
    for number, name in enumerate(names):
        worker = Worker.objects.get(project=project, user__username=name)
        begin = now - timedelta(minutes=37 * number)  # so that not all sit down in the same minute
        _spread_work(worker, batches, begin, Random(f"demo/times/{name}"))
    launched = now - timedelta(hours=LAUNCHED)
    _launch(project, batches, launched)


def _spread_work(worker: Worker, batches: Sequence[Batch], now: datetime, rng: Random) -> None:
    rows = [row for batch in batches for row in batch.assignments.filter(worker=worker).order_by("pk")]
    rows = [row for row in rows if row.state != lifecycle.ACCEPTED]
    at, at_once = now, max(LEAST, ceil(len(rows) / len(SITTINGS)))
    for number, row in enumerate(rows):
        if number % at_once == 0:
            at = now - timedelta(hours=SITTINGS[number // at_once], minutes=-rng.uniform(0, 50))
        at = _shift(row, at, rng) + timedelta(seconds=rng.uniform(2, 12))
    Assignment.objects.bulk_update(rows, FIELDS)
    for row in rows:
        ProblemReport.objects.filter(assignment=row).update(created_at=row.ended_at or row.submitted_at)
    _spread_participations(worker, rows)


def _shift(row: Assignment, at: datetime, rng: Random) -> datetime:
    """Let the assignment begin at `at`; returns its end, which is later than the active time explains."""
    seconds = max(row.active_seconds, 20.0) * rng.uniform(1.05, 1.3)
    end = at + timedelta(seconds=seconds)
    row.lease_until += at - row.accepted_at
    row.accepted_at = at
    if row.auto_approve_at and row.submitted_at:
        row.auto_approve_at += end - row.submitted_at
    if row.submitted_at:
        row.submitted_at = end
    if row.ended_at:
        row.ended_at = end
    return end


def _spread_participations(worker: Worker, rows: Iterable[Assignment]) -> None:
    for participation in worker.participations.all():
        own = [row for row in rows if row.batch_id == participation.batch_id]
        if not own:
            continue
        began = own[0].accepted_at
        ended = max((row.submitted_at for row in own if row.submitted_at), default=None)
        entered = began - timedelta(minutes=4)  # the instructions and the practice
        Participation.objects.filter(pk=participation.pk).update(created_at=entered, worked_at=ended)
        attempts = Attempt.objects.filter(worker=worker, round__batch=participation.batch_id)
        attempts.update(started_at=began)
        attempts.exclude(finished_at=None).update(finished_at=ended)
    first = min((row.accepted_at for row in rows), default=worker.created_at)
    Worker.objects.filter(pk=worker.pk).update(
        created_at=first - timedelta(minutes=14), consented_at=first - timedelta(minutes=12)
    )


def _launch(project: Project, batches: Sequence[Batch], launched: datetime) -> None:
    created = launched - timedelta(minutes=20)
    Project.objects.filter(pk=project.pk).update(created_at=created - timedelta(hours=1))
    project.members.filter(user__username="requester").update(created_at=created - timedelta(hours=1))
    for batch in batches:
        batch.datasets.update(created_at=created - timedelta(minutes=20))
        Batch.objects.filter(pk=batch.pk).update(created_at=created, launched_at=launched)
        Instructions.objects.filter(batch=batch).update(created_at=created)
