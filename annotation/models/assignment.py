"""Workers' participations in batches, assignments with their leases, held HITs, responses, problem reports."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Greatest, Now

from annotation.models.batch import Batch, Hit
from annotation.models.compiled import Update, compiled, compiled_update, insert
from annotation.models.fields import JSONTextField, TimestampField, one_of
from annotation.models.project import Worker, mturk_id, public_id
from annotation.pure.batches import lifecycle


def random_seed() -> int:
    return secrets.randbits(62)


class Participation(models.Model):
    """A worker in a batch. Locking this row lets a worker claim one assignment at a time.

    `cursor` is the ticket up to which every HIT is taken or ruled out for good: mostly the one before the block that
    they are in. `last_group` is the group of the assignment accepted or resumed last.
    """

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="participations")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="participations")
    cursor = models.BigIntegerField(default=-1)
    last_group = models.CharField(max_length=300, blank=True)
    done = models.PositiveIntegerField(default=0)  # assignments submitted, whatever was decided on them
    worked_at = models.DateTimeField(null=True, blank=True)  # time of the last submission
    instructions_version = models.PositiveIntegerField(default=0)
    practised = models.PositiveIntegerField(default=0)  # practice items done
    paused_at = models.DateTimeField(null=True, blank=True)  # by the rule on hidden gold, until a requester lifts it
    checked_from = models.DateTimeField(null=True, blank=True)  # the rule ignores grades from before
    created_at = TimestampField(auto_now_add=True)
    newest_instructions: int  # this and the next of those that flow/work/next_assignment.join_batch returns
    waiting_feedback: int | None
    claimed: Assignment | None = None  # while a submission is answered: what was claimed with it
    prefetched: PrefetchedHit | None = None  # and the HIT held with it

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "worker"], name="seat_once")]
        indexes = [  # covers sums over a batch's participations, which replace counts over its assignments
            models.Index(fields=["batch", "worked_at", "worker", "done"], name="seat_progress")
        ]


class ResponseImport(models.Model):
    """Responses imported from a file; invisible until the whole file is stored."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="imports")
    sha256 = models.CharField(max_length=64)
    file_name = models.CharField(max_length=255, blank=True)
    ready = models.BooleanField(default=False)
    size = models.PositiveIntegerField(default=0, db_default=0)  # responses, once it is ready
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "sha256"], name="collection_once")]


# assignments without those of an import under way
ENDED_OTHERWISE = Q(state__in=[lifecycle.RETURNED, lifecycle.EXPIRED])  # than by a submission
NOT_IMPORTING = Q(response_import__isnull=True) | Q(response_import__ready=True)


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def submitted(self) -> AssignmentQuerySet:
        """Submitted assignments, without the assignments of unfinished imports."""
        return self.filter(state=lifecycle.SUBMITTED).filter(NOT_IMPORTING)

    def blind(self) -> AssignmentQuerySet:
        """Without those that started with a model's suggestion: figures about people are of these."""
        return self.exclude(suggested=True)


class Assignment(models.Model):
    """One worker on one HIT. `counts`: whether it is one of the HIT's wanted assignments.

    `ticket` is the HIT's ticket when the worker got it from the queue; None if it came in another way.
    """

    class State(models.TextChoices):
        ACCEPTED = lifecycle.ACCEPTED
        SUBMITTED = lifecycle.SUBMITTED
        RETURNED = lifecycle.RETURNED
        EXPIRED = lifecycle.EXPIRED

    class Approved(models.TextChoices):
        APPROVED = "approved"
        REJECTED = "rejected"

    public_id = models.CharField(max_length=32, unique=True, default=public_id)
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="assignments")
    hit = models.ForeignKey(Hit, models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="assignments")
    response_import = models.ForeignKey(ResponseImport, models.PROTECT, null=True, related_name="assignments")
    group_key = models.CharField(max_length=300)
    state = models.CharField(max_length=9, choices=State, default=State.ACCEPTED)
    counts = models.BooleanField(default=True)
    late = models.BooleanField(default=False)
    seed = models.BigIntegerField(default=random_seed)
    ticket = models.PositiveBigIntegerField(null=True)
    suggested = models.BooleanField(null=True)  # whether its page starts with the HIT's suggestion; null: it has none
    instructions_version = models.PositiveIntegerField(default=0)
    accepted_at = TimestampField(auto_now_add=True)
    lease_until = models.DateTimeField()
    extended = models.BooleanField(default=False)
    submitted_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)  # returned or expired
    active_seconds = models.FloatField(default=0)
    draft = JSONTextField(null=True, blank=True)
    draft_version = models.PositiveIntegerField(default=0)
    draft_saved_at = models.DateTimeField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=0)
    grade = models.FloatField(null=True, blank=True)  # 0..1 against gold, for hidden gold and in qualification rounds
    approval = models.CharField(max_length=8, choices=Approved, blank=True)  # empty: not decided yet
    approved_at = models.DateTimeField(null=True, blank=True)
    rejected_at = models.DateTimeField(null=True, blank=True)
    auto_approve_at = models.DateTimeField(null=True, blank=True)  # null: nothing is paid for it
    joined: Participation  # this and the next of one that flow/work/next_assignment.own reads
    shut_out: str

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hit", "worker"], name="assignment_once_per_worker"),
            one_of("state", list(lifecycle.ASSIGNMENT_MOVES), name="assignment_state_known"),
            models.CheckConstraint(
                condition=Q(state=lifecycle.SUBMITTED, submitted_at__isnull=False, revision__gte=1)
                | (~Q(state=lifecycle.SUBMITTED) & Q(submitted_at__isnull=True, revision=0)),
                name="assignment_answer_when_submitted",
            ),
            models.CheckConstraint(
                condition=Q(state=lifecycle.ACCEPTED, counts=True)
                | Q(state=lifecycle.SUBMITTED)
                | Q(state__in=[lifecycle.RETURNED, lifecycle.EXPIRED], counts=False),
                name="assignment_counts_while_alive",
            ),
            models.CheckConstraint(
                condition=Q(approval="")
                | Q(approval="approved", state=lifecycle.SUBMITTED, approved_at__isnull=False)
                | Q(approval="rejected", state=lifecycle.SUBMITTED, rejected_at__isnull=False),
                name="assignment_approval_known",
            ),
        ]
        indexes = [
            models.Index(fields=["worker", "group_key"], name="assignment_met"),
            models.Index(fields=["worker", "accepted_at"], name="assignment_latest"),
            models.Index(fields=["lease_until"], name="assignment_leases", condition=Q(state=lifecycle.ACCEPTED)),
            models.Index(
                fields=["worker", "batch"], name="assignment_under_way", condition=Q(state=lifecycle.ACCEPTED)
            ),
            models.Index(
                fields=["worker", "batch", "submitted_at"],
                name="assignment_of_worker",
                condition=Q(state=lifecycle.SUBMITTED),
            ),
            models.Index(fields=["worker", "ended_at"], name="assignment_ended", condition=ENDED_OTHERWISE),
            models.Index(fields=["batch", "submitted_at"], name="assignment_by_time"),
            models.Index(
                fields=["auto_approve_at"],
                name="assignment_to_approve",
                condition=Q(state=lifecycle.SUBMITTED, approval="", auto_approve_at__isnull=False),
            ),
        ]

    @classmethod
    def give(cls, participation: Participation, hit: Hit, **kept: Any) -> Assignment:
        """Store a new assignment of the HIT to the worker, whose lease begins now."""
        row = cls(
            **{"public_id": mturk_id()} | kept,
            batch=participation.batch,
            hit=hit,
            worker_id=participation.worker_id,
            group_key=hit.group_key,
            instructions_version=participation.instructions_version,
            lease_until=participation.batch.lease_end,
        )
        insert(row)
        return row

    @classmethod
    def locked(cls, pk: int, *related: str, without: tuple[str, ...] = ()) -> Assignment:
        """Lock an assignment until the transaction ends, and load it with these related rows, `without` some fields.

        A query that had to wait for the lock joins the related rows as they were before. If the HIT's type changed
        meanwhile it finds nothing (PostgreSQL, READ COMMITTED), and only a second query sees the new rows.
        """
        lock = _lock(related, without)
        for row in lock(pk) or lock(pk):
            return row
        raise cls.DoesNotExist

    def move(self, to: str, *guards: Q, **stamps: Any) -> bool:
        """Change the state if the guards hold; False if another process was first. In memory only `state` changes."""
        states = lifecycle.origins(lifecycle.ASSIGNMENT_MOVES, to)
        row = Assignment.objects.filter(*guards, pk=self.pk, state__in=states & {self.state})
        moved = row.update(state=to, **stamps)
        if moved:
            self.state = to
        return bool(moved)

    def move_to_submitted(self, *, late: bool, counts: bool, active_seconds: float) -> bool:
        """As `move`, by SQL that is kept, with the time at which the response is approved automatically.

        Not if UpdateHITTypeOfHIT moved the HIT to another batch since this was read.
        """
        moved = _submission(self.state, late, counts, self.batch.auto_approval)(self.pk, self.batch_id, active_seconds)
        if moved:
            self.state = lifecycle.SUBMITTED
        return bool(moved)

    @property
    def suggestion(self) -> dict[str, Any] | None:
        """The model's answer that its page starts with; None: the page is blank."""
        return self.hit.suggestion if self.suggested else None

    @property
    def current(self) -> WorkerResponse | None:
        return next((response for response in self.responses.all() if response.revision == self.revision), None)


@lru_cache(maxsize=256)
def _submission(since: str, late: bool, counts: bool, approval: int | None) -> Callable[[int, int, float], int]:
    stamps: dict[str, Any] = {"ended_at": None, "revision": 1, "late": late, "counts": counts}
    stamps["submitted_at"] = Greatest(Now(), F("accepted_at"))  # the clock may have been set back since
    if approval is not None:
        stamps["auto_approve_at"] = Now() + timedelta(seconds=approval)

    @compiled_update
    def submitted(pk: int, batch: int, active_seconds: float) -> Update:
        kept = {"draft": None, "active_seconds": Greatest(F("active_seconds"), active_seconds)}
        return Assignment.objects.filter(pk=pk, batch=batch, state=since), {
            "state": lifecycle.SUBMITTED,
            **stamps,
            **kept,
        }

    return submitted


@cache
def _lock(related: tuple[str, ...], without: tuple[str, ...]) -> Callable[[int], list[Assignment]]:
    @compiled
    def rows(pk: int) -> models.QuerySet[Assignment]:
        locking = Assignment.objects.select_for_update(of=("self",), no_key=True)
        return locking.select_related(*related).defer(*without).filter(pk=pk)

    return rows


class WorkerResponse(models.Model):
    """One revision of a response. Rows are only ever added; a trigger refuses changes (migrations)."""

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="responses")
    revision = models.PositiveIntegerField()
    key = models.CharField(max_length=64)  # the form's idempotency key
    digest = models.CharField(max_length=64)  # SHA-256 of the response, to recognise a repeated submission
    answer = JSONTextField()
    active_seconds = models.FloatField(default=0)
    page_counts = JSONTextField(null=True, blank=True)  # pure/batches/page_counts; null: the batch does not count
    instructions_version = models.PositiveIntegerField(default=0)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assignment", "revision"], name="answer_revision_once"),
            models.UniqueConstraint(fields=["assignment", "key"], name="answer_key_once"),
            models.CheckConstraint(condition=Q(revision__gte=1), name="answer_revision_from_one"),
        ]


class ProblemReport(models.Model):
    """A problem report: a worker says that something is wrong with an item, and a requester decides."""

    class State(models.TextChoices):
        OPEN = "open"
        KEPT = "kept"
        EXCLUDED = "excluded"

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="problem_reports")
    reason = models.CharField(max_length=40)
    text = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)

    class Meta:
        constraints = [
            one_of("state", ["open", "kept", "excluded"], name="flag_state_known"),
            models.CheckConstraint(
                condition=Q(state="open", decided_at__isnull=True) | (~Q(state="open") & Q(decided_at__isnull=False)),
                name="flag_decided_when_closed",
            ),
        ]


class PrefetchedHit(models.Model):
    """A place in a HIT, held for a worker until they submit the item before it.

    It counts in the HIT's `live`. `public_id` and `seed` are those of the assignment that it becomes,
    `cursor` is then the worker's, if theirs is lower.
    """

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="prefetched_hits")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="prefetched_hits")
    hit = models.ForeignKey(Hit, models.CASCADE, related_name="prefetched")
    public_id = models.CharField(max_length=32, unique=True, default=mturk_id)
    seed = models.BigIntegerField(default=random_seed)
    cursor = models.BigIntegerField(default=-1, db_default=-1)
    expires_at = models.DateTimeField(db_index=True)
    closed: bool  # this and the next of those that flow/work/open_work.prefetched reads
    busy: bool

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "worker"], name="prefetched_once")]


class ReservedHit(models.Model):
    """A HIT reserved for a worker, who gets it once and before any other of its batch.

    It is an additional assignment: from `taken_at` on the HIT asks for one response more.
    """

    hit = models.ForeignKey(Hit, models.CASCADE, related_name="reservations")
    worker = models.ForeignKey(Worker, models.CASCADE, related_name="reservations")
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="reservations")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)
    created_at = TimestampField(auto_now_add=True)
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["hit", "worker"], name="given_once")]
        indexes = [
            models.Index(fields=["batch", "worker"], name="given_waiting", condition=Q(taken_at__isnull=True)),
        ]
