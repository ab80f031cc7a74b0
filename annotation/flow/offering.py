"""What a worker may have now, and how much of it is left: looks that change nothing.

The cost of a look does not depend on the size of the batch (docs/architecture.md, "The next assignment").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from annotation.flow import attempts, checking, reserving
from annotation.models import Assignment, Batch, Given, Hit, Seat, Worker
from annotation.pure import lifecycle

FIRST_LOOK, LONGEST_LOOK = 16, 1000  # HITs of the queue looked at together
ALIVE_OR_DONE = [lifecycle.ACCEPTED, lifecycle.SUBMITTED]


class Candidate(NamedTuple):
    hit: Hit
    passed_over: bool  # a HIT before it was left for the worker's next claim


def candidates(seat: Seat) -> Iterator[Candidate]:
    """The HITs that the worker may have now, in the order of the queue, from their cursor on.

    Two queries by index for each stretch of the queue, so that no plan depends on how much the worker did.
    """
    cursor, size, passed_over = seat.cursor, FIRST_LOOK, False
    too_soon = _too_soon(seat)
    while hits := _stretch(seat, cursor, size):
        gone = ruled_out(seat, hits)
        for hit in hits:
            if hit.pk in gone:
                continue
            if hit.group_key in too_soon:
                passed_over = True
                continue
            yield Candidate(hit, passed_over)
        cursor, size = hits[-1].ticket, min(size * 4, LONGEST_LOOK)


def _too_soon(seat: Seat) -> set[str]:
    """Groups that must not follow now: of what the worker answered last and of what they took last, returned or not."""
    if seat.batch.meeting != Batch.Meeting.APART:
        return set()
    return {seat.last_group, *answered_last(seat.worker_id, seat.batch_id)}


def answered_last(worker: int, batch: int) -> list[str]:
    mine = Assignment.objects.filter(worker=worker, batch=batch, state=lifecycle.SUBMITTED)
    return list(mine.order_by("-submitted_at").values_list("group_key", flat=True)[:1])


def _stretch(seat: Seat, cursor: int, size: int) -> list[Hit]:
    queue = Hit.objects.open().filter(batch=seat.batch_id, ticket__gt=cursor, check_item=False).order_by("ticket")
    return list(queue.only("pk", "batch", "ticket", "group_key")[:size])


def ruled_out(seat: Seat, hits: Sequence[Hit]) -> set[int]:
    """Those that the worker had before, or whose group they met where the batch forbids it."""
    mine = Assignment.objects.filter(worker=seat.worker_id, group_key__in={hit.group_key for hit in hits})
    had, met = set(), set()
    for hit_id, group, batch_id, state in mine.values_list("hit_id", "group_key", "batch_id", "state"):
        had.add(hit_id)
        if state in ALIVE_OR_DONE and counts_as_met(seat.batch, batch_id):
            met.add(group)
    return {hit.pk for hit in hits if hit.pk in had or hit.group_key in met}


def has_met(worker: Worker, hit: Hit) -> bool:
    """Whether the worker met the HIT's group by another HIT, where the batch forbids it."""
    others = Assignment.objects.filter(worker=worker, group_key=hit.group_key, state__in=ALIVE_OR_DONE)
    met = others.exclude(hit=hit).values_list("batch_id", flat=True)
    return any(counts_as_met(hit.batch, where) for where in met)


def counts_as_met(batch: Batch, where: int) -> bool:
    """Whether a group that the worker met in the batch `where` is closed to them in `batch`."""
    return batch.meeting == Batch.Meeting.ONE if where == batch.pk else batch.fresh_only


def hidden(seat: Seat) -> list[Hit]:
    """The checks to give out as the worker's next assignment, best first; none where it is to be an ordinary one."""
    if not seat.batch.check_share:
        return []
    found = checking.drawn(seat)
    if found and reserving.applies(seat.batch) and not reserving.checks_left(seat.batch):
        return []  # no money lies ready for more of them
    gone = ruled_out(seat, found) if found else set()
    return [hit for hit in found if hit.pk not in gone]


def given(seat: Seat) -> list[Hit]:
    """The HITs that were given to this worker and that they may have now, in order; no query where none ever was."""
    if not seat.batch.gives:
        return []
    rows = Given.objects.filter(batch=seat.batch_id, worker=seat.worker_id, taken_at__isnull=True)
    keys = list(rows.filter(hit__voided_at__isnull=True).order_by("pk").values_list("hit", flat=True))
    found = Hit.objects.only("pk", "ticket", "group_key").in_bulk(keys)
    hits = [found[key] for key in keys]
    gone, too_soon = (ruled_out(seat, hits), _too_soon(seat)) if hits else (set(), set())
    return [hit for hit in hits if hit.pk not in gone and hit.group_key not in too_soon]


def left(seat: Seat, *, most: int = 1000) -> int:
    """How many assignments the worker could have now, HITs counted up to `most`."""
    if seat.batch.state != Batch.State.OPEN:
        return 0
    round = attempts.round_of(seat.batch)
    if round is not None:
        return attempts.left(round, seat.worker_id)
    own = {hit.pk for hit in given(seat)}
    ordinary = len(own) + sum(1 for found in islice(candidates(seat), most) if found.hit.pk not in own)
    return ordinary + checking.to_come(seat, ordinary)


def offered(seat: Seat) -> int:
    """How many assignments the worker is offered in all, as their progress counts them."""
    round = attempts.round_of(seat.batch)
    if round is not None:
        return attempts.offered(attempts.latest(round, seat.worker_id), round)
    return checking.offered(seat)
