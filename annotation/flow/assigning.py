"""The next assignment: who gets which HIT, for how long, and what happens when it comes back unanswered.

Lock order, here and in submitting: assignment, seat, batch, HIT. The cost of a claim does not depend on the
size of the batch (docs/architecture.md, "The next assignment").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

from annotation.models import Assignment, Batch, Guide, Hit, Seat, Worker
from annotation.pure import lifecycle

FIRST_LOOK, LONGEST_LOOK = 16, 1000  # HITs of the queue looked at together
ALIVE_OR_DONE = [lifecycle.ACCEPTED, lifecycle.SUBMITTED]


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


def obstacle(worker: Worker, batch: Batch) -> str:
    """Why the worker may not work on the batch now: `inactive`, `consent`, `closed`, `not_chosen`; or nothing."""
    if not worker.active:
        return "inactive"
    if not worker.consented:
        return "consent"
    if batch.state != Batch.State.OPEN:
        return "closed"
    if batch.workers.exists() and not batch.workers.filter(pk=worker.pk).exists():
        return "not_chosen"
    return ""


def claim(seat: Seat) -> Assignment | None:
    """Give the worker an assignment: the one under way, or the next HIT; None when none is left for them."""
    assignment, under_way = _under_way_or_next(seat)
    if assignment is not None and under_way:  # by now the seat's lock is gone, which an assignment's may not follow
        late = Assignment.objects.filter(pk=assignment.pk, state=lifecycle.ACCEPTED, lease_until__lt=Now())
        late.update(lease_until=_lease_end(seat.batch), extended=False)
    return assignment


@transaction.atomic
def _under_way_or_next(seat: Seat) -> tuple[Assignment | None, bool]:
    seat = Seat.objects.select_for_update(of=("self",)).select_related("batch").get(pk=seat.pk)
    mine = Assignment.objects.filter(worker=seat.worker_id, batch=seat.batch_id, state=lifecycle.ACCEPTED)
    for under_way in mine[:1]:
        return under_way, True
    if seat.batch.state != Batch.State.OPEN:
        return None, False
    cursor = seat.cursor
    for found in _candidates(seat):
        if _take_place(found.hit):
            return _accept(seat, found.hit, cursor=cursor if found.passed_over else found.hit.ticket), False
    return None, False


def _lease_end(batch: Batch) -> object:
    return Now() + timedelta(seconds=batch.lease_seconds)


class _Candidate(NamedTuple):
    hit: Hit
    passed_over: bool  # a HIT before it was left for the worker's next claim


def _candidates(seat: Seat) -> Iterator[_Candidate]:
    """The HITs that the worker may have now, in the order of the queue, from their cursor on.

    Two queries by index for each stretch of the queue, so that no plan depends on how much the worker did.
    """
    cursor, size, passed_over = seat.cursor, FIRST_LOOK, False
    too_soon = _too_soon(seat)
    while hits := _stretch(seat, cursor, size):
        ruled_out = _ruled_out(seat, hits)
        for hit in hits:
            if hit.pk in ruled_out:
                continue
            if hit.group_key in too_soon:
                passed_over = True
                continue
            yield _Candidate(hit, passed_over)
        cursor, size = hits[-1].ticket, min(size * 4, LONGEST_LOOK)


def _too_soon(seat: Seat) -> set[str]:
    """Groups that must not follow now: of what the worker answered last and of what they took last, returned or not."""
    if seat.batch.meeting != Batch.Meeting.APART:
        return set()
    return {seat.last_group, *_answered_last(seat.worker_id, seat.batch_id)}


def _answered_last(worker: int, batch: int) -> list[str]:
    mine = Assignment.objects.filter(worker=worker, batch=batch, state=lifecycle.SUBMITTED)
    return list(mine.order_by("-submitted_at").values_list("group_key", flat=True)[:1])


def _stretch(seat: Seat, cursor: int, size: int) -> list[Hit]:
    queue = Hit.objects.open().filter(batch=seat.batch_id, ticket__gt=cursor).order_by("ticket")
    return list(queue.only("pk", "ticket", "group_key")[:size])


def _ruled_out(seat: Seat, hits: Sequence[Hit]) -> set[int]:
    """Those that the worker had before, or whose group they met where the batch forbids it."""
    mine = Assignment.objects.filter(worker=seat.worker_id, group_key__in={hit.group_key for hit in hits})
    had, met = set(), set()
    for hit_id, group, batch_id, state in mine.values_list("hit_id", "group_key", "batch_id", "state"):
        had.add(hit_id)
        if state in ALIVE_OR_DONE and _counts_as_met(seat.batch, batch_id):
            met.add(group)
    return {hit.pk for hit in hits if hit.pk in had or hit.group_key in met}


def _counts_as_met(batch: Batch, where: int) -> bool:
    """Whether a group that the worker met in the batch `where` is closed to them in `batch`."""
    return batch.meeting == Batch.Meeting.ONE if where == batch.pk else batch.fresh_only


def _take_place(hit: Hit) -> bool:
    return bool(Hit.objects.open().filter(pk=hit.pk).update(live=F("live") + 1))


def _accept(seat: Seat, hit: Hit, *, cursor: int) -> Assignment:
    assignment = Assignment.objects.create(
        batch=seat.batch,
        hit=hit,
        worker_id=seat.worker_id,
        group_key=hit.group_key,
        guide_version=seat.guide_version,
        lease_until=_lease_end(seat.batch),
    )
    Seat.objects.filter(pk=seat.pk).update(cursor=cursor, last_group=hit.group_key)
    return assignment


@transaction.atomic
def give_back(assignment: Assignment, *, to: str = lifecycle.RETURNED, only_if_over: bool = False) -> bool:
    """Free the assignment's place and keep its draft; False when it was no longer under way."""
    guards = [Q(lease_until__lt=Now())] if only_if_over else []
    if not assignment.move(to, *guards, counts=False, ended_at=Now()):
        return False
    others = Seat.objects.filter(worker=assignment.worker_id).exclude(batch=assignment.batch_id)
    others.update(cursor=-1)  # what this one ruled out elsewhere may be theirs again
    free_place(assignment.hit_id, live=F("live") - 1)
    return True


def free_place(hit_id: int, **changes: object) -> None:
    """Change a HIT so that it has room again, and put it at the end of its queue."""
    ticket = _next_ticket(hit_id)
    Hit.objects.filter(pk=hit_id).update(ticket=ticket, **changes)


def want(hit_id: int, least: int) -> bool:
    """Let a HIT ask for at least so many answers; True when it did not before, and now stands at the queue's end.

    It never asks for fewer. To be called in a transaction that has not changed the HIT yet, for the lock order.
    """
    modest = Hit.objects.filter(pk=hit_id, wanted__lt=least)
    if not least or not modest.exists():
        return False
    ticket = _next_ticket(hit_id)
    return bool(modest.update(wanted=least, ticket=ticket))


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
    rows = Assignment.objects.select_for_update(of=("self",)).select_related("batch", "worker__project")
    row = rows.get(pk=assignment.pk)
    if row.state not in {lifecycle.RETURNED, lifecycle.EXPIRED} or obstacle(row.worker, row.batch):
        return False
    Seat.objects.select_for_update().get(batch=row.batch_id, worker=row.worker_id)
    if _is_hindered(row) or not _take_place(Hit(pk=row.hit_id)):
        return False
    Seat.objects.filter(batch=row.batch_id, worker=row.worker_id).update(last_group=row.group_key)
    stamps = {"counts": True, "ended_at": None, "extended": False, "lease_until": _lease_end(row.batch)}
    return row.move(lifecycle.ACCEPTED, **stamps)


def _is_hindered(row: Assignment) -> bool:
    others = Assignment.objects.filter(worker=row.worker_id, state__in=ALIVE_OR_DONE).exclude(pk=row.pk)
    if others.filter(batch=row.batch_id, state=lifecycle.ACCEPTED).exists():
        return True
    if row.batch.meeting == Batch.Meeting.APART and row.group_key in _answered_last(row.worker_id, row.batch_id):
        return True
    met = others.filter(group_key=row.group_key).values_list("batch_id", flat=True)
    return any(_counts_as_met(row.batch, where) for where in met)


def extend(assignment: Assignment) -> bool:
    """Prolong a lease once by its full length from now; False when it was prolonged before or is over."""
    row = Assignment.objects.filter(pk=assignment.pk, state=lifecycle.ACCEPTED, extended=False)
    return bool(row.update(extended=True, lease_until=_lease_end(assignment.batch)))


def expire_due(*, limit: int = 500) -> int:
    """Give back what is past its lease by the database's clock; returns how many. Safe to run anywhere, twice."""
    due = Assignment.objects.filter(state=lifecycle.ACCEPTED, lease_until__lt=Now()).order_by("lease_until")
    return sum(give_back(a, to=lifecycle.EXPIRED, only_if_over=True) for a in due[:limit])


def left(seat: Seat, *, most: int = 1000) -> int:
    """How many HITs the worker could have now, counted up to `most`; a look that changes nothing."""
    if seat.batch.state != Batch.State.OPEN:
        return 0
    return sum(1 for _found in islice(_candidates(seat), most))
