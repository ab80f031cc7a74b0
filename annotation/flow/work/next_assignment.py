"""Joining a batch, claiming the next HIT, and resuming a returned or expired assignment.

Lock order, here and in submissions: assignment, participation, worker, prefetched HIT, batch, HIT. The cost of a claim
does not depend on the size of the batch (docs/architecture.md, "The next assignment").
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.db import transaction
from django.db.models import F, FilteredRelation, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Least, Now

from annotation import models
from annotation.events import AssignmentAccepted, emit
from annotation.flow.batches import hidden_gold
from annotation.flow.money import batch_funds, ledger
from annotation.flow.people import round_attempts
from annotation.flow.work import leases, met_groups, open_work, suggestion_draws
from annotation.flow.work.met_groups import ALIVE_OR_DONE
from annotation.models import (
    Assignment,
    Batch,
    Feedback,
    Hit,
    Instructions,
    Participation,
    PrefetchedHit,
    QualificationRound,
    ReservedHit,
)
from annotation.models.compiled import Update, compiled, compiled_update, compiled_update_returning, delete
from annotation.pure.batches import lifecycle

COUNTED = {"done": F("done") + 1, "worked_at": Now()}  # of a participation, for a response


def join_batch(worker: models.Worker, batch: Batch) -> Participation:
    """The worker's participation, created on first use.

    `newest_instructions`: the instructions' current version; `waiting_feedback`: the key of the oldest feedback that
    the worker has not acknowledged, or None.
    """
    found = _joined(batch.pk, worker.pk)
    if not found:
        Participation.objects.get_or_create(batch=batch, worker=worker)
        found = _joined(batch.pk, worker.pk)
    [participation] = found
    participation.batch, participation.worker = batch, worker
    return participation


@compiled
def _joined(batch: int, worker: int) -> QuerySet[Participation]:
    return Participation.objects.annotate(**comes_first(OuterRef("batch"), worker)).filter(batch=batch, worker=worker)


def comes_first(batch: Any, worker: Any) -> dict[str, Any]:
    """The columns that `join_batch` adds, for keys or references to them."""
    newest = Instructions.objects.filter(batch=batch).order_by("-version").values("version")[:1]
    waiting = Feedback.objects.waiting().filter(worker=worker).order_by("pk").values("pk")[:1]
    return {"newest_instructions": Coalesce(Subquery(newest), 0), "waiting_feedback": Subquery(waiting)}


def own(public_id: str, user: int) -> Assignment | None:
    """An assignment of a user's worker with HIT, batch and project; None for anybody else's.

    `joined` is the participation as `join_batch` reads it, an unsaved one if there is none, and `shut_out` that for
    `open_work.obstacle`.
    """
    found: Any = next(iter(_own(public_id, user)), None)
    if found is not None:
        joined: Any = found.joined or Participation()
        found.joined = joined
        joined.batch, joined.worker, joined.worker.project = found.batch, found.worker, found.batch.project
        joined.newest_instructions, joined.waiting_feedback = found.newest_instructions, found.waiting_feedback
    return found  # type: ignore[no-any-return]  # with the columns of its query


@compiled
def _own(public_id: str, user: int) -> QuerySet[Assignment]:
    batch, worker = OuterRef("batch"), OuterRef("worker")
    joined = FilteredRelation("worker__participations", condition=Q(worker__participations__batch=F("batch")))
    columns = {"joined": joined, "shut_out": open_work.exclusion(worker, batch), **comes_first(batch, worker)}
    rows = Assignment.objects.annotate(**columns).select_related("hit", "batch__project", "worker", "joined")  # type: ignore[misc]  # joined above
    return rows.filter(public_id=public_id, worker__user=user, batch__project__removed_at=None)


def read_instructions(participation: Participation, *, version: int) -> None:
    """Record that the worker read this version of the instructions."""
    unread = Participation.objects.filter(pk=participation.pk, instructions_version__lt=version)
    unread.update(instructions_version=version)


def claim(participation: Participation) -> Assignment | None:
    """Give the worker their assignment under way, or one of the next HIT; None if there is no HIT for them."""
    in_round = participation.batch.purpose == Batch.Purpose.QUALIFICATION
    if in_round and (round := round_attempts.round_of(participation.batch)):
        return _claim_in_round(participation, round)
    assignment, under_way = _under_way_or_next(participation)
    if assignment is None or not under_way:
        return assignment
    if _has_fixed_time(participation.batch):
        over = leases.return_assignment(assignment, to=lifecycle.EXPIRED, only_if_over=True)
        return claim(participation) if over else assignment
    # Only now, with the participation's lock released: the lock order has assignments first.
    late = Assignment.objects.filter(pk=assignment.pk, state=lifecycle.ACCEPTED, lease_until__lt=Now())
    late.update(lease_until=participation.batch.lease_end, extended=False)
    return assignment


def lock(participation: Participation) -> None:
    """Lock a participation and read again what changes while a batch is open.

    Its worker too, because a HIT claimed in another batch meanwhile can rule one out here.
    """
    [row] = _locked(participation.worker_id, participation.batch_id)
    participation.cursor, participation.last_group = row.cursor, row.last_group
    for name in BATCH_COLUMNS:
        setattr(participation.batch, name, getattr(row.batch, name))


BATCH_COLUMNS = (
    *("state", "experiment_id", "next_ticket", "has_reserved_hits", "has_group_parts"),
    *("check_share", "check_rule"),
)


@compiled
def _locked(worker: int, batch: int) -> QuerySet[Participation]:
    # no key: rows that only refer to these, as a new message to the worker, need not wait
    rows = Participation.objects.select_for_update(of=("self", "worker"), no_key=True)
    rows = rows.select_related("batch", "worker").only(
        "cursor", "last_group", "worker", *(f"batch__{name}" for name in BATCH_COLUMNS)
    )
    return rows.filter(worker=worker, batch=batch)


@transaction.atomic(savepoint=False)
def _under_way_or_next(participation: Participation) -> tuple[Assignment | None, bool]:
    lock(participation)
    places = open_work.prefetched(participation)
    if not places or places[0].busy:
        for under_way in _under_way(participation.worker_id, participation.batch_id):
            return under_way, True
    if not open_work.may_take(participation):
        return None, False
    for prefetched in places:
        if assignment := _accept_prefetched(participation, prefetched):
            return assignment, False
        let_go(pk=prefetched.pk)
    cursor = participation.cursor
    for own in open_work.reserved_hits_of(participation):
        if _take_reserved(participation, own):
            return _accept(participation, own, cursor=cursor), False
    for found in open_work.candidates(participation):
        if check := next(filter(hidden_gold.add_wanted_assignment, open_work.hidden(participation)), None):
            return _accept(participation, check, cursor=cursor), False
        if take_slot(found.hit.pk, participation.batch_id):
            return _accept(participation, found.hit, cursor=found.cursor, ticket=found.hit.ticket), False
    if taken_over := _take_over(participation):
        return taken_over, False
    _remember_the_end(participation)
    return None, False


def claim_prefetched(participation: Participation) -> bool:
    """Claim the HIT prefetched for the worker if they may have it now, and count their response.

    For the transaction of that response, which has locked no HIT yet; nothing here waits for one. The assignment is
    `participation.claimed`.
    """
    lock(participation)
    if open_work.may_take(participation):
        for prefetched in open_work.prefetched(participation):
            participation.claimed = _accept_prefetched(participation, prefetched, move_on=_count_and_move_on)
    return participation.claimed is not None


def _accept_prefetched(participation: Participation, prefetched: PrefetchedHit, **how: Any) -> Assignment | None:
    if prefetched.busy or not open_work.is_still_open(participation, prefetched) or not delete(prefetched):
        return None
    # its place becomes the assignment's
    kept = {"public_id": prefetched.public_id, "seed": prefetched.seed, "ticket": prefetched.hit.ticket}
    return _accept(participation, prefetched.hit, cursor=max(participation.cursor, prefetched.cursor), **how, **kept)


def _take_over(participation: Participation) -> Assignment | None:
    """Give the worker the HIT that was prefetched for another worker longest ago, who then gets another one."""
    rows = PrefetchedHit.objects.filter(batch=participation.batch_id, hit__batch=participation.batch_id)
    rows = rows.filter(hit__excluded_at__isnull=True).exclude(worker=participation.worker_id)
    held = list(rows.select_related("hit").defer("hit__payload").order_by("expires_at", "pk"))
    fit = {hit.pk for hit in open_work.fit(participation, [row.hit for row in held])}
    for row in held:
        # Its owner may be claiming it now: waiting for them could be a deadlock, since HITs may be locked already.
        free = PrefetchedHit.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=row.pk)
        if row.hit_id in fit and any(map(delete, free)):
            return _accept(participation, row.hit, cursor=participation.cursor, ticket=row.hit.ticket)
    return None


def _remember_the_end(participation: Participation) -> None:
    """Let the worker's next claim begin where this one, which found nothing, ended.

    HITs that it has passed stay closed to them: one that opens again gets a new ticket, and an assignment returned
    in another batch resets the cursor (`leases.return_assignment`). Not where groups are only kept apart: they are
    open next time.
    """
    end = participation.batch.next_ticket - 1
    if participation.cursor < end and participation.batch.meeting != Batch.Meeting.APART:
        Participation.objects.filter(pk=participation.pk).update(cursor=end)


@transaction.atomic
def let_go(**filters: Any) -> int:
    """Free the places of prefetched HITs; `filters` say which. Returns how many; any process may, and twice."""
    # All are locked before the first HIT is changed, because of the lock order; what another process frees is its own.
    rows = PrefetchedHit.objects.select_for_update(no_key=True, skip_locked=True).filter(**filters).order_by("pk")
    freed = [prefetched for prefetched in rows if delete(prefetched)]
    for prefetched in freed:
        leases.reopen_hit(prefetched.hit_id, live=F("live") - 1)
    return len(freed)


@compiled
def _under_way(worker: int, batch: int) -> QuerySet[Assignment]:
    return Assignment.objects.filter(worker=worker, batch=batch, state=lifecycle.ACCEPTED)[:1]


def _claim_in_round(participation: Participation, round: QualificationRound) -> Assignment | None:
    """Claim the next item drawn for the worker's attempt, which begins here; the lease ends with the attempt."""
    attempt = round_attempts.latest(round, participation.worker_id)
    if attempt is None and round_attempts.is_open(round):
        attempt = round_attempts.begin(round, participation.worker)
    if attempt is None or attempt.finished_at is not None:
        return None
    for row in Assignment.objects.filter(
        worker=participation.worker_id, batch=participation.batch_id, state=lifecycle.ACCEPTED
    ):
        if not round_attempts.is_over(attempt):
            return row
        leases.return_assignment(row, to=lifecycle.EXPIRED)
    hit = None if round_attempts.settle(attempt) else round_attempts.next_hit(attempt)
    try:
        made = accept_hit(participation, hit, take=_take_in_round) if hit else None
    except ledger.Overdrawn:  # nothing is assigned that the budget does not cover
        return None
    end = round_attempts.deadline(attempt)
    if made is not None and end is not None:
        Assignment.objects.filter(pk=made.pk).update(lease_until=Least(F("lease_until"), end), extended=True)
    return made


def _take_in_round(hit: Hit) -> bool:
    if taken := hidden_gold.add_wanted_assignment(hit):
        batch_funds.adjust_hold(hit.batch)
    return taken


def _has_fixed_time(batch: Batch) -> bool:
    """Whether the HITs come from the MTurk API: their duration is fixed by the HIT type, and is not extended."""
    return batch.by_program


def _slot(hit: int, batch: int) -> Update:
    """Take an assignment of the HIT if it is still in this batch; UpdateHITTypeOfHIT may have moved it meanwhile."""
    return Hit.objects.open().filter(pk=hit, batch=batch), {"live": F("live") + 1}


take_slot = compiled_update(_slot)


@compiled_update_returning
def take_free_slot(hit: int, batch: int) -> Update:
    """As `take_slot`, for who may have locked another HIT: never waits, takes nothing if the HIT is locked."""
    rows, changes = _slot(hit, batch)
    return Hit.objects.filter(pk=hit, pk__in=rows.select_for_update(no_key=True, skip_locked=True)), changes


def _take_reserved(participation: Participation, hit: Hit) -> bool:
    """Take a HIT reserved for this worker: it asks for one response more, so that others lose nothing."""
    reservation = ReservedHit.objects.filter(hit=hit.pk, worker=participation.worker_id)
    if not reservation.filter(taken_at__isnull=True).update(taken_at=Now()):
        return False  # the reservation was cancelled meanwhile
    standing = Hit.objects.filter(pk=hit.pk, excluded_at__isnull=True)
    if standing.update(live=F("live") + 1, wanted=F("wanted") + 1):
        return True
    reservation.update(taken_at=None)
    return False


@compiled_update
def _move_on(participation: int, cursor: int, group: str) -> Update:
    return Participation.objects.filter(pk=participation), {"cursor": cursor, "last_group": group}


@compiled_update
def _count_and_move_on(participation: int, cursor: int, group: str) -> Update:
    return Participation.objects.filter(pk=participation), {"cursor": cursor, "last_group": group, **COUNTED}


def _accept(participation: Participation, hit: Hit, *, cursor: int, move_on: Any = _move_on, **kept: Any) -> Assignment:
    kept |= suggestion_draws.drawn(participation, hit)
    assignment = Assignment.give(participation, hit, extended=_has_fixed_time(participation.batch), **kept)
    move_on(participation.pk, cursor, hit.group_key)
    participation.cursor, participation.last_group = cursor, hit.group_key
    emit(AssignmentAccepted(assignment, hit))
    return assignment


@transaction.atomic
def accept_hit(
    participation: Participation, hit: Hit, *, take: Callable[[Hit], bool] | None = None, apart: bool = False
) -> Assignment | None:
    """Assign this HIT to the worker, or return their existing assignment of it.

    None if it is full, was answered by them, its batch is not open or lets them have no more; and with `apart` if they
    met its group and the batch forbids that. Other conditions are checked by `obstacle`.
    """
    # The assignment is locked before the participation, the order of all functions here.
    rows = Assignment.objects.filter(hit=hit, worker=participation.worker_id)
    row = rows.select_for_update(no_key=True).first()
    lock(participation)
    row = row or rows.first()  # created by a request at the same time
    if row is not None and row.state == lifecycle.ACCEPTED:
        return row
    if participation.batch.state != Batch.State.OPEN or (row is not None and row.state == lifecycle.SUBMITTED):
        return None
    if apart and open_work.has_met(participation.worker, hit):
        return None
    if open_work.room_for(participation.worker_id, participation.batch) == 0:
        return None
    if row is not None and not suggestion_draws.has_room(row):
        return None
    if not (take(hit) if take else take_slot(hit.pk, hit.batch_id)):
        return None
    if row is None:
        return _accept(participation, hit, cursor=participation.cursor)
    fixed = _has_fixed_time(participation.batch)
    stamps = {"counts": True, "ended_at": None, "extended": fixed, "lease_until": participation.batch.lease_end}
    row.move(lifecycle.ACCEPTED, accepted_at=Now(), **stamps)
    row.refresh_from_db()
    row.batch = participation.batch
    emit(AssignmentAccepted(row, hit))
    return row


@transaction.atomic
def take_up(assignment: Assignment) -> bool:
    """Resume a returned or expired assignment with its draft.

    False if the HIT is full, or the worker may not work on the batch now, has another assignment in it, met
    the HIT's group since, or answered an item of the group just before although another item must come between.
    """
    # The assignment is locked before the participation, the order of all functions here.
    row = Assignment.locked(assignment.pk, "batch", "worker__project", "hit", without=("hit__payload",))
    if row.state not in {lifecycle.RETURNED, lifecycle.EXPIRED} or open_work.obstacle(row.worker, row.batch):
        return False
    _locked(row.worker_id, row.batch_id)
    round = round_attempts.round_of(row.batch)
    if round is not None and round_attempts.is_closed_to(round, row):
        return False
    hindered = _is_hindered(row) or not open_work.may_take(Participation(batch=row.batch, worker=row.worker))
    if hindered or not suggestion_draws.has_room(row) or not _take_again(row, in_round=round is not None):
        return False
    Participation.objects.filter(batch=row.batch_id, worker=row.worker_id).update(last_group=row.group_key)
    stamps = {"counts": True, "ended_at": None, "lease_until": row.batch.lease_end}
    if not row.move(lifecycle.ACCEPTED, extended=_has_fixed_time(row.batch), **stamps):
        return False
    emit(AssignmentAccepted(row, row.hit))
    return True


def _take_again(row: Assignment, *, in_round: bool) -> bool:
    hit = Hit(pk=row.hit_id, batch=row.batch)
    if not in_round:
        for_all = hidden_gold.is_on_demand(row.hit, row.batch)
        return hidden_gold.add_wanted_assignment(hit) if for_all else bool(take_slot(row.hit_id, row.batch_id))
    with suppress(ledger.Overdrawn), transaction.atomic():
        return _take_in_round(hit)
    return False


def _is_hindered(row: Assignment) -> bool:
    others = Assignment.objects.filter(worker=row.worker_id, state__in=ALIVE_OR_DONE).exclude(pk=row.pk)
    if others.filter(batch=row.batch_id, state=lifecycle.ACCEPTED).exists():
        return True
    is_apart = row.batch.meeting == Batch.Meeting.APART
    if is_apart and row.group_key in open_work.last_group_keys(row.worker_id, row.batch_id):
        return True
    return bool(met_groups.closed_groups(row.worker_id, row.batch, [row.group_key], besides=Q(pk=row.pk)))
