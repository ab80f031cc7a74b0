"""The next assignment: who gets which HIT, for how long, and what happens when it comes back unanswered.

Lock order, here and in submitting: assignment, seat, worker, batch, HIT. The cost of a claim does not depend on the
size of the batch (docs/architecture.md, "The next assignment").
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Least, Now

from annotation.flow import attempts, checking, holding, ledger, notifying, reserving
from annotation.flow.admitting import obstacle
from annotation.flow.offering import (
    ALIVE_OR_DONE,
    answered_last,
    candidates,
    counts_as_met,
    given,
    has_met,
    hidden,
    left,
)
from annotation.models import Assignment, Batch, Given, Guide, Hit, Round, Seat, Worker
from annotation.models.project import wire_id
from annotation.pure import lifecycle
from annotation.registry import task_type

__all__ = ["ALIVE_OR_DONE", "claim", "has_met", "left", "obstacle", "sit_down"]


def sit_down(worker: Worker, batch: Batch) -> Seat:
    """The worker's seat in the batch, made on first use; `newest_guide` is the guide's version by now."""
    newest = Guide.objects.filter(batch=OuterRef("batch")).order_by("-version").values("version")[:1]
    seats = Seat.objects.annotate(newest_guide=Coalesce(Subquery(newest), 0))
    seat = seats.filter(batch=batch, worker=worker).first()
    if seat is None:
        Seat.objects.get_or_create(batch=batch, worker=worker)
        seat = seats.get(batch=batch, worker=worker)
    seat.batch, seat.worker = batch, worker
    return seat


def claim(seat: Seat) -> Assignment | None:
    """Give the worker an assignment: the one under way, or the next HIT; None when none is left for them."""
    round = attempts.round_of(seat.batch)
    if round is not None:
        return _claim_in_round(seat, round)
    assignment, under_way = _under_way_or_next(seat)
    if assignment is not None and under_way and _has_fixed_time(seat.batch):
        over = give_back(assignment, to=lifecycle.EXPIRED, only_if_over=True)
        return claim(seat) if over else assignment
    if assignment is not None and under_way:  # by now the seat's lock is gone, which an assignment's may not follow
        late = Assignment.objects.filter(pk=assignment.pk, state=lifecycle.ACCEPTED, lease_until__lt=Now())
        late.update(lease_until=_lease_end(seat.batch), extended=False)
    return assignment


def _locked(**whose: Any) -> Seat:
    """A seat, locked with its worker: what they take in another batch at this instant may rule something out here."""
    rows = Seat.objects.select_for_update(of=("self", "worker"), no_key=True)
    return rows.select_related("batch", "worker").get(**whose)


@transaction.atomic
def _under_way_or_next(seat: Seat) -> tuple[Assignment | None, bool]:
    seat = _locked(pk=seat.pk)
    mine = Assignment.objects.filter(worker=seat.worker_id, batch=seat.batch_id, state=lifecycle.ACCEPTED)
    for under_way in mine[:1]:
        return under_way, True
    if seat.batch.state != Batch.State.OPEN:
        return None, False
    cursor = seat.cursor
    for own in given(seat):
        if _take_given(seat, own):
            return _accept(seat, own, cursor=cursor), False
    for found in candidates(seat):
        if check := next(filter(checking.make_place, hidden(seat)), None):
            return _accept(seat, check, cursor=cursor), False
        if _take_place(found.hit):
            return _accept(seat, found.hit, cursor=cursor if found.passed_over else found.hit.ticket), False
    return None, False


def _claim_in_round(seat: Seat, round: Round) -> Assignment | None:
    """Along the items drawn for the worker's attempt, which begins here; no longer than its time."""
    attempt = attempts.latest(round, seat.worker_id)
    if attempt is None and attempts.is_open(round):
        attempt = attempts.begin(round, seat.worker)
    if attempt is None or attempt.finished_at is not None:
        return None
    for row in Assignment.objects.filter(worker=seat.worker_id, batch=seat.batch_id, state=lifecycle.ACCEPTED):
        if not attempts.is_over(attempt):
            return row
        give_back(row, to=lifecycle.EXPIRED)
    hit = None if attempts.settle(attempt) else attempts.next_hit(attempt)
    try:
        made = accept_hit(seat, hit, take=_take_in_round) if hit else None
    except ledger.Overdrawn:  # nothing is given out that the budget does not cover
        return None
    end = attempts.deadline(attempt)
    if made is not None and end is not None:
        Assignment.objects.filter(pk=made.pk).update(lease_until=Least(F("lease_until"), end), extended=True)
    return made


def _take_in_round(hit: Hit) -> bool:
    if taken := checking.make_place(hit):
        reserving.level(hit.batch)
    return taken


def _has_fixed_time(batch: Batch) -> bool:
    """Whether another program made the HITs: the time that it allots is one of its terms, and nobody prolongs it."""
    return not task_type(batch.task).launched


def _lease_end(batch: Batch) -> object:
    return Now() + timedelta(seconds=batch.lease_seconds)


def _take_place(hit: Hit) -> bool:
    """Take a place of a HIT where it was seen: it may have come into another batch meanwhile (flow/relisting)."""
    return bool(Hit.objects.open().filter(pk=hit.pk, batch=hit.batch_id).update(live=F("live") + 1))


def _take_given(seat: Seat, hit: Hit) -> bool:
    """Take a HIT that was given to this worker: it asks for one answer more, so that nobody loses a place by it."""
    mine = Given.objects.filter(hit=hit.pk, worker=seat.worker_id)
    if not mine.filter(taken_at__isnull=True).update(taken_at=Now()):
        return False  # taken back at this instant
    standing = Hit.objects.filter(pk=hit.pk, voided_at__isnull=True)
    if standing.update(live=F("live") + 1, wanted=F("wanted") + 1):
        return True
    mine.update(taken_at=None)
    return False


def _accept(seat: Seat, hit: Hit, *, cursor: int) -> Assignment:
    assignment = Assignment.objects.create(
        public_id=wire_id(),
        batch=seat.batch,
        hit=hit,
        worker_id=seat.worker_id,
        group_key=hit.group_key,
        guide_version=seat.guide_version,
        lease_until=_lease_end(seat.batch),
        extended=_has_fixed_time(seat.batch),
    )
    Seat.objects.filter(pk=seat.pk).update(cursor=cursor, last_group=hit.group_key)
    notifying.tell(notifying.ACCEPTED, hit, assignment)
    return assignment


@transaction.atomic
def accept_hit(
    seat: Seat, hit: Hit, *, take: Callable[[Hit], bool] | None = None, apart: bool = False
) -> Assignment | None:
    """Give the worker this very HIT, besides whatever else they have; the same assignment if they have it already.

    None when it has no room, was answered by them, or its batch is not open; and with `apart` when they met its group
    where the batch forbids it. Whether they may otherwise is `obstacle`'s to say.
    """
    row = Assignment.objects.select_for_update(no_key=True).filter(hit=hit, worker=seat.worker_id).first()
    seat = _locked(pk=seat.pk)
    row = row or Assignment.objects.filter(hit=hit, worker=seat.worker_id).first()  # of a request at the same instant
    if row is not None and row.state == lifecycle.ACCEPTED:
        return row
    if seat.batch.state != Batch.State.OPEN or (row is not None and row.state == lifecycle.SUBMITTED):
        return None
    if (apart and has_met(seat.worker, hit)) or not (take or _take_place)(hit):
        return None
    if row is None:
        return _accept(seat, hit, cursor=seat.cursor)
    fixed = _has_fixed_time(seat.batch)
    stamps = {"counts": True, "ended_at": None, "extended": fixed, "lease_until": _lease_end(seat.batch)}
    row.move(lifecycle.ACCEPTED, accepted_at=Now(), **stamps)
    row.refresh_from_db()
    notifying.tell_of(notifying.ACCEPTED, row)
    return row


@transaction.atomic
def give_back(assignment: Assignment, *, to: str = lifecycle.RETURNED, only_if_over: bool = False) -> bool:
    """Free the assignment's place and keep its draft; False when it was no longer under way."""
    guards = [Q(lease_until__lt=Now())] if only_if_over else []
    if not assignment.move(to, *guards, counts=False, ended_at=Now()):
        return False
    others = Seat.objects.filter(worker=assignment.worker_id).exclude(batch=assignment.batch_id)
    others.update(cursor=-1)  # what this one ruled out elsewhere may be theirs again
    free_place(assignment.hit_id, live=F("live") - 1)
    holding.settled(assignment.hit_id)
    notifying.tell_of(notifying.RETURNED if to == lifecycle.RETURNED else notifying.ABANDONED, assignment)
    return True


def free_place(hit_id: int, **changes: object) -> None:
    """Change a HIT so that it has room again, and put it at the end of its queue."""
    ticket = _next_ticket(hit_id)
    Hit.objects.filter(pk=hit_id).update(ticket=ticket, **changes)


def want(hit_id: int, least: int) -> None:
    """Let a HIT ask for at least so many answers; where it did not before, it now stands at the queue's end.

    It never asks for fewer, nor for more than the budget covers. To be called in a transaction that has not changed
    the HIT yet, for the lock order.
    """
    modest = Hit.objects.filter(pk=hit_id, wanted__lt=least)
    if least and modest.exists():
        with suppress(ledger.Overdrawn), transaction.atomic():
            _raise(hit_id, modest, least)


def _raise(hit_id: int, modest: QuerySet[Hit], least: int) -> None:
    ticket = _next_ticket(hit_id)
    rows = modest.select_for_update(of=("self",), no_key=True)
    locked = rows.select_related("batch__project", "batch__connection").first()
    if locked is None or locked.check_item or attempts.round_of(locked.batch) is not None:
        return  # known answers need no second opinion
    more = reserving.for_opinions(locked, least)
    modest.update(wanted=least, ticket=ticket)
    ledger.hold(locked.batch, more, key=f"want/{hit_id}/{least}")


def _next_ticket(hit_id: int) -> int:
    batch_id = Hit.objects.values_list("batch_id", flat=True).get(pk=hit_id)
    Batch.objects.filter(pk=batch_id).update(next_ticket=F("next_ticket") + 1)
    return Batch.objects.values_list("next_ticket", flat=True).get(pk=batch_id) - 1


@transaction.atomic
def take_up(assignment: Assignment) -> bool:
    """Give a returned or expired assignment back to its worker, draft and all.

    False when its place is taken, the worker may not work on the batch now, has another one of it under way,
    met a member of its group since, or answered one just before where another item must come between.
    """
    row = Assignment.objects.defer("hit__payload").locked(assignment.pk, "batch", "worker__project", "hit")
    if row.state not in {lifecycle.RETURNED, lifecycle.EXPIRED} or obstacle(row.worker, row.batch):
        return False
    _locked(batch=row.batch_id, worker=row.worker_id)
    round = attempts.round_of(row.batch)
    if round is not None and attempts.is_closed_to(round, row):
        return False
    if _is_hindered(row) or not _take_again(row, in_round=round is not None):
        return False
    Seat.objects.filter(batch=row.batch_id, worker=row.worker_id).update(last_group=row.group_key)
    fixed = _has_fixed_time(row.batch)
    stamps = {"counts": True, "ended_at": None, "extended": fixed, "lease_until": _lease_end(row.batch)}
    return row.move(lifecycle.ACCEPTED, **stamps)


def _take_again(row: Assignment, *, in_round: bool) -> bool:
    hit = Hit(pk=row.hit_id, batch=row.batch)
    if not in_round:
        for_all = row.hit.check_item and row.batch.connection_id is None
        return checking.make_place(hit) if for_all else _take_place(hit)
    with suppress(ledger.Overdrawn), transaction.atomic():
        return _take_in_round(hit)
    return False


def _is_hindered(row: Assignment) -> bool:
    others = Assignment.objects.filter(worker=row.worker_id, state__in=ALIVE_OR_DONE).exclude(pk=row.pk)
    if others.filter(batch=row.batch_id, state=lifecycle.ACCEPTED).exists():
        return True
    if row.batch.meeting == Batch.Meeting.APART and row.group_key in answered_last(row.worker_id, row.batch_id):
        return True
    met = others.filter(group_key=row.group_key).values_list("batch_id", flat=True)
    return any(counts_as_met(row.batch, where) for where in met)


def extend(assignment: Assignment) -> bool:
    """Prolong a lease once by its full length from now; False when it was prolonged before or is over."""
    row = Assignment.objects.filter(pk=assignment.pk, state=lifecycle.ACCEPTED, extended=False)
    return bool(row.update(extended=True, lease_until=_lease_end(assignment.batch)))


def expire_due(*, limit: int = 500, **whose: Any) -> int:
    """Give back what is past its lease by the database's clock; returns how many. Safe to run anywhere, twice.

    `whose` narrows the assignments.
    """
    due = Assignment.objects.filter(state=lifecycle.ACCEPTED, lease_until__lt=Now(), **whose).select_related("batch")
    return sum(give_back(a, to=lifecycle.EXPIRED, only_if_over=True) for a in due.order_by("lease_until")[:limit])
