"""Drafts, submissions and revisions: nothing that a worker sent is lost, overwritten or counted twice."""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Greatest, Now
from django.utils.translation import gettext as _

from annotation.flow import assigning, grading, holding, judging, notifying, reserving, reviewing, webhook_events
from annotation.flow.refusal import Conflict
from annotation.models import Answer, Assignment, Batch, Hit, Seat
from annotation.models.fields import to_text
from annotation.pure import lifecycle
from annotation.registry import task_type


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was stored. A replay of the same form gets an equal receipt."""

    assignment: str
    revision: int
    late: bool
    counts: bool


class StaleDraft(Conflict):
    """Another tab saved a newer draft. `version` and `draft` are the ones that stand."""

    def __init__(self, version: int, draft: Any) -> None:
        super().__init__(_("This work was changed in another tab."))
        self.version, self.draft = version, draft


def save_draft(assignment: Assignment, answer: Any, *, version: int, active_seconds: float) -> int:
    """Keep unfinished work; returns the draft's new version.

    Raises StaleDraft when `version` is not the last, or an answer came in since the assignment was read.
    """
    row = Assignment.objects.filter(pk=assignment.pk, draft_version=version, revision=assignment.revision)
    saved = row.update(
        draft=answer,
        draft_version=version + 1,
        draft_saved_at=Now(),
        active_seconds=Greatest(F("active_seconds"), active_seconds),
    )
    if saved:
        return version + 1
    assignment.refresh_from_db(fields=["draft", "draft_version", "state", "revision"])
    raise StaleDraft(assignment.draft_version, assignment.draft)


def one_commit() -> AbstractContextManager[object]:
    """A transaction for a submission and the claim that follows it, where the whole database is the lock anyway.

    Where rows are locked they stay two: a submission holds its HIT, and must not wait for another one.
    """
    return nullcontext() if connection.features.has_select_for_update else transaction.atomic()


@transaction.atomic
def submit(assignment: Assignment, answer: Any, *, key: str, base: int, active_seconds: float) -> Receipt:
    """Store an answer; `base` is the revision that the form was made from (0: the first submission).

    The same key with the same answer gives the same receipt. Raises Conflict when the key came with another
    answer, when another tab submitted first, or when a submitted answer can no longer be changed.
    """
    row = Assignment.objects.locked(assignment.pk, "batch__project")
    digest = hashlib.sha256(to_text(answer).encode("utf-8", "surrogatepass")).hexdigest()
    replayed = row.answers.filter(key=key).first() if row.revision else None
    if replayed:
        if replayed.digest != digest:
            raise Conflict(_("This form was already submitted with another answer; the first one stands."))
        return Receipt(row.public_id, replayed.revision, row.late, row.counts)
    if base != row.revision:
        raise Conflict(_("This assignment was already submitted from another tab; that answer stands."))
    least = task_type(row.batch.task).least(assignment.hit.payload, answer)
    late, counts = _place(row, active_seconds, least)
    Answer.objects.create(
        assignment=row,
        revision=row.revision + 1,
        key=key,
        digest=digest,
        answer=answer,
        active_seconds=active_seconds,
        guide_version=row.guide_version,
    )
    if not row.revision:
        notifying.tell_of(notifying.SUBMITTED, row)
        judging.judge(row)
    if grading.concerns(row, assignment.hit):
        grading.grade(row, assignment.hit, answer)
    webhook_events.submitted(row, assignment.hit, revision=row.revision + 1, late=late, counts=counts)
    return Receipt(row.public_id, row.revision + 1, late, counts)


def _place(row: Assignment, active_seconds: float, least: int) -> tuple[bool, bool]:
    """Move the assignment to its new revision and keep the HIT's counters true; returns (late, counts).

    The HIT comes to want `least` answers first, so that a late one that calls for another may count itself.
    """
    kept = {"draft": None, "active_seconds": Greatest(F("active_seconds"), active_seconds)}
    if row.state == lifecycle.SUBMITTED:
        _revise(row, **kept)
        assigning.want(row.hit_id, least)
        return row.late, row.counts
    late = row.state != lifecycle.ACCEPTED
    Seat.objects.filter(batch=row.batch_id, worker=row.worker_id).update(done=F("done") + 1, worked_at=Now())
    assigning.want(row.hit_id, least)
    hit = Hit.objects.filter(pk=row.hit_id)
    if late:
        counts = bool(hit.open().update(done=F("done") + 1))
    else:
        counts = bool(hit.update(live=F("live") - 1, done=F("done") + 1))
    stamps = {"submitted_at": Now(), "ended_at": None, "revision": 1, "late": late, "counts": counts}
    if row.batch.auto_approval is not None:
        stamps["auto_approve_at"] = Now() + timedelta(seconds=row.batch.auto_approval)
    if not row.move(lifecycle.SUBMITTED, **stamps, **kept):
        raise Conflict(_("This assignment was just changed from elsewhere. Please send it again."))
    if late and (not counts or row.batch.state == Batch.State.CLOSED):
        reserving.cover_late(row)
        holding.settled(row.hit_id)
    return late, counts


def may_change(row: Assignment) -> bool:
    """Whether a submitted answer can still be changed: while its batch is open, and while it is to be repaired.

    One of a round is final once the attempt is over, since what came out is known by then; and any, once it was
    decided whether it is paid.
    """
    open_still = row.batch.state == Batch.State.OPEN and not row.approval and not grading.is_final(row)
    return open_still or reviewing.returned(row) is not None


def _revise(row: Assignment, **kept: Any) -> None:
    if not may_change(row):
        raise Conflict(_("The batch is closed, the round over or the pay decided: this can no longer be changed."))
    repaired = row.auto_approve_at is not None and reviewing.returned(row) is not None
    current = Assignment.objects.filter(pk=row.pk, revision=row.revision)
    if not current.update(revision=row.revision + 1, **kept):
        raise Conflict(_("This assignment was just changed from elsewhere. Please send it again."))
    if repaired:
        reviewing.restart_clock(row)
