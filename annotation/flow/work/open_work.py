"""HITs that a worker may have now, how many are left, and why there are none; nothing here changes rows.

The cost does not depend on the size of the batch (docs/architecture.md, "The next assignment").
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

from django.core.cache import cache as kept
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When

from annotation.flow.batches import hidden_gold
from annotation.flow.money import batch_funds
from annotation.flow.people import qualification_types, round_attempts
from annotation.flow.work import arm_draws
from annotation.flow.work.met_groups import ALIVE_OR_DONE, closed_groups, has_met_related, source_batches
from annotation.models import Assignment, Batch, Hit, Participation, PrefetchedHit, ReservedHit, Worker, WorkerBlock
from annotation.models.compiled import compiled
from annotation.pure.batches import lifecycle, queue_order
from annotation.recruitment import marketplaces

LOOKS = (queue_order.BLOCK, 250, 1000)  # HITs of the queue read at a time: most claims find one in the first block
MOST_COUNTED = 100  # HITs left for a worker; of more, the page shows all that are offered


class Row(NamedTuple):
    """An open HIT as the queue has it."""

    pk: int
    batch: int
    group_key: str
    ticket: int
    ruled_out: bool  # for this worker


COLUMNS = ["id", "batch_id", "group_key", "ticket"]  # in the model's order


class Candidate(NamedTuple):
    hit: Hit
    cursor: int  # the worker's, once they have the HIT


def candidates(participation: Participation, *, ahead: bool = False) -> Iterator[Candidate]:
    """HITs that the worker may have now, block by block (pure/batches/queue_order), from their cursor on.

    `ahead`: that they may have after the one under way.
    """
    batch, cursor, passed_over = participation.batch, participation.cursor, False
    too_soon = _too_soon(participation, ahead=ahead)
    for first, block in chain.from_iterable(_blocks(participation)):
        free = [row for row in block if not row.ruled_out]
        now = [row for row in free if row.group_key not in too_soon]
        if not passed_over:
            cursor = max(cursor, first - 1)
        for number, row in enumerate(now, start=1):
            is_last = number == len(free) and not passed_over
            beyond = min(first + queue_order.BLOCK, batch.next_ticket) - 1
            yield Candidate(Hit.from_db("default", COLUMNS, row[:-1]), max(cursor, beyond) if is_last else cursor)
        passed_over |= len(now) < len(free)


def _blocks(participation: Participation) -> Iterator[Iterable[tuple[int, list[Row]]]]:
    """The open HITs after the worker's cursor as `queue_order.in_blocks` gives them, look by look."""
    batch, after = participation.batch, participation.cursor
    kind = batch.meeting == Batch.Meeting.ONE, batch.fresh_only, batch.has_group_parts
    worker = "" if batch.same_order else batch.project.pseudonym(participation.worker_id)
    for size in chain(LOOKS, repeat(LOOKS[-1])):
        rows = [Row(*row) for row in _look(size, *kind)(batch.pk, after, participation.worker_id)]
        whole = rows if len(rows) < size else _without_cut_block(rows)
        yield queue_order.in_blocks(whole, seed=batch.seed, worker=worker)
        if len(rows) < size:
            return
        after = whole[-1].ticket
        if all(row.ruled_out for row in rows):
            nearest = _nearest(*kind)(batch.pk, after, participation.worker_id)
            if not nearest:
                return
            [(ticket,)] = nearest
            after = max(after, queue_order.block_of(ticket) * queue_order.BLOCK - 1)


def _without_cut_block(rows: list[Row]) -> list[Row]:
    """All rows but those of the last block, of which there may be more; unless it is the only one."""
    last = rows[-1].ticket // queue_order.BLOCK
    return [row for row in rows if row.ticket // queue_order.BLOCK < last] or rows


def _too_soon(participation: Participation, *, ahead: bool = False) -> set[str]:
    """Groups that must not come next: of the last response and of the last assignment, which with `ahead` are one."""
    if participation.batch.meeting != Batch.Meeting.APART:
        return set()
    last = [] if ahead else last_group_keys(participation.worker_id, participation.batch_id)
    return {participation.last_group, *last}


def last_group_keys(worker: int, batch: int) -> list[str]:
    submitted = Assignment.objects.filter(worker=worker, batch=batch, state=lifecycle.SUBMITTED)
    return list(submitted.order_by("-submitted_at").values_list("group_key", flat=True)[:1])


@cache
def _look(size: int, in_this: bool, in_others: bool, by_parts: bool) -> Callable[[int, int, int], list[Any]]:
    """A query for the next `size` open HITs after a cursor, as values of Row.

    A HIT is ruled out if the worker had it, or met its group: in this batch, in others, or both; `by_parts` in others
    also what the group is made of, or what is made of it. This is looked up HIT by HIT, so that no query plan depends
    on how much the worker did.
    """

    @compiled
    def after(batch: int, cursor: int, worker: int) -> QuerySet[Hit]:
        hits = _after(batch, cursor).annotate(ruled_out=_is_ruled_out(batch, worker, in_this, in_others, by_parts))
        return hits.values_list(*COLUMNS, "ruled_out")[:size]

    return after


@cache
def _nearest(in_this: bool, in_others: bool, by_parts: bool) -> Callable[[int, int, int], list[Any]]:
    """A query for the ticket of the first open HIT after a cursor that is not ruled out; none, if there is none.

    So a worker who met every group is told so by one statement, however many HITs are open.
    """

    @compiled
    def nearest(batch: int, cursor: int, worker: int) -> QuerySet[Hit, tuple[int]]:
        free = _after(batch, cursor).exclude(_is_ruled_out(batch, worker, in_this, in_others, by_parts))
        return free.values_list("ticket")[:1]

    return nearest


def _after(batch: int, cursor: int) -> QuerySet[Hit]:
    return Hit.objects.open().filter(batch=batch, ticket__gt=cursor, check_item=False).order_by("ticket")


def _is_ruled_out(batch: int, worker: int, in_this: bool, in_others: bool, by_parts: bool, *, of: str = "") -> Q:
    own = Assignment.objects.filter(worker=worker, group_key=OuterRef(f"{of}group_key"))
    had, met = Q(hit=OuterRef(f"{of}pk")), Q(state__in=ALIVE_OR_DONE)
    elsewhere = ~Q(batch=batch) if in_others else Q(batch__in=source_batches(batch))
    if not (in_this and in_others):
        met &= Q(batch=batch) | elsewhere if in_this else elsewhere
    found = Q(Exists(own.filter(had | met)))
    return found | has_met_related(worker, elsewhere, group=f"{of}group_key") if by_parts else found


def ruled_out(participation: Participation, hits: Sequence[Hit]) -> set[int]:
    """Keys of HITs that the worker had before, or whose group they met if the batch forbids that."""
    worker, batch = participation.worker_id, participation.batch
    had = set(Assignment.objects.filter(worker=worker, hit__in=hits).values_list("hit_id", flat=True))
    met = closed_groups(worker, batch, {hit.group_key for hit in hits})
    return {hit.pk for hit in hits if hit.pk in had or hit.group_key in met}


def is_still_open(participation: Participation, prefetched: PrefetchedHit) -> bool:
    """Whether the worker may have a HIT whose place was kept for them, as `prefetched` reads it."""
    hit = prefetched.hit
    out = prefetched.closed or hit.excluded_at is not None or hit.batch_id != participation.batch_id
    return not out and hit.group_key not in _too_soon(participation)


def prefetched(participation: Participation) -> list[PrefetchedHit]:
    """The place kept for the worker, if any.

    `busy`: whether they have an assignment under way; `closed`: whether they had the HIT, or met its group.
    """
    batch = participation.batch
    kind = batch.meeting == Batch.Meeting.ONE, batch.fresh_only, batch.has_group_parts
    return _prefetched(*kind)(batch.pk, participation.worker_id)


@cache
def _prefetched(in_this: bool, in_others: bool, by_parts: bool) -> Callable[[int, int], list[PrefetchedHit]]:
    @compiled
    def held(batch: int, worker: int) -> QuerySet[PrefetchedHit]:
        columns = {
            "closed": _is_ruled_out(batch, worker, in_this, in_others, by_parts, of="hit__"),
            "busy": Exists(Assignment.objects.filter(worker=worker, batch=batch, state=lifecycle.ACCEPTED)),
        }
        rows = PrefetchedHit.objects.filter(worker=worker, batch=batch).select_related("hit").annotate(**columns)
        hit = "hit__batch", "hit__ticket", "hit__group_key", "hit__excluded_at"
        return rows.only("public_id", "seed", "cursor", *hit)

    return held


def has_met(worker: Worker, hit: Hit) -> bool:
    """Whether the worker met the HIT's group in another HIT and the batch forbids that."""
    return bool(closed_groups(worker.pk, hit.batch, [hit.group_key], besides=Q(hit=hit)))


def hidden(participation: Participation) -> list[Hit]:
    """Hidden gold for the worker's next assignment, best first; empty if it is to be an ordinary HIT."""
    if not participation.batch.check_share:
        return []
    found = hidden_gold.drawn(participation)
    if found and batch_funds.uses_hold(participation.batch) and not batch_funds.checks_left(participation.batch):
        return []  # no money is set aside for more hidden gold
    gone = ruled_out(participation, found) if found else set()
    return [hit for hit in found if hit.pk not in gone]


def reserved_hits_of(participation: Participation) -> list[Hit]:
    """HITs reserved for this worker that they may have now, in order; no query if the batch never reserved any."""
    if not participation.batch.has_reserved_hits:
        return []
    rows = ReservedHit.objects.filter(batch=participation.batch_id, worker=participation.worker_id)
    rows = rows.filter(taken_at__isnull=True, hit__excluded_at__isnull=True)
    keys = list(rows.order_by("pk").values_list("hit", flat=True))
    found = Hit.objects.only("pk", "ticket", "group_key").in_bulk(keys)
    return fit(participation, [found[key] for key in keys])


def fit(participation: Participation, hits: Sequence[Hit]) -> list[Hit]:
    """Those of the batch's HITs that the worker may have now, whatever their number of responses; no query for none."""
    gone, too_soon = (ruled_out(participation, hits), _too_soon(participation)) if hits else (set(), set())
    return [hit for hit in hits if hit.pk not in gone and hit.group_key not in too_soon]


def left(participation: Participation, *, most: int = 1000) -> int:
    """The number of assignments the worker could have now, counting HITs up to `most`."""
    if participation.batch.state != Batch.State.OPEN:
        return 0
    round = round_attempts.round_of(participation.batch)
    if round is not None:
        return round_attempts.left(round, participation.worker_id)
    own = {hit.pk for hit in reserved_hits_of(participation)}
    ordinary = len(own) + sum(1 for found in islice(candidates(participation), most) if found.hit.pk not in own)
    to_come = ordinary + hidden_gold.to_come(participation, ordinary)
    room = room_for(participation.worker_id, participation.batch)
    return to_come if room is None else min(to_come, room)


def offered(participation: Participation) -> int:
    """The number of assignments the worker is offered in total, for their progress."""
    round = round_attempts.round_of(participation.batch)
    if round is not None:
        return round_attempts.offered(round_attempts.latest(round, participation.worker_id), round)
    offered, batch = hidden_gold.offered(participation), participation.batch
    limits = batch.most_per_worker, marketplaces().most_offered(participation) if batch.on_marketplace else None
    return min([offered, *(limit for limit in limits if limit is not None)])


def expected(participation: Participation, *, number: int, ahead: bool) -> int:
    """The assignments that the worker will have had in the end, for their progress.

    `number`: those so far, with the one on show, which is prefetched if `ahead`. Never more than `offered`. Counted
    once a minute, since what they do in between does not change it.
    """
    batch = participation.batch
    key = f"expected/{batch.pk}/{batch.created_at.isoformat()}/{participation.worker_id}"
    return max(number, kept.get_or_set(key, lambda: _expected(participation, number=number, ahead=ahead), 60) or 0)


def _expected(participation: Participation, *, number: int, ahead: bool) -> int:
    most = offered(participation)
    to_come = left(participation, most=MOST_COUNTED + 1)
    if to_come > MOST_COUNTED:
        return most
    held = PrefetchedHit.objects.filter(batch=participation.batch_id, worker=participation.worker_id)
    return min(most, number + to_come + (0 if ahead else held.count()))


def room_for(worker: int, batch: Batch) -> int | None:
    """How many more HITs, hidden gold among them, the batch's limit leaves this worker; None without one, no query."""
    if batch.most_per_worker is None:
        return None
    had = Assignment.objects.filter(worker=worker, batch=batch, state__in=ALIVE_OR_DONE).count()
    return max(0, batch.most_per_worker - had)


def may_take(participation: Participation) -> bool:
    """Whether the batch is open, and its experiment, limit per worker and marketplace let the worker have another HIT.

    Asked while the participation is locked.
    """
    batch = participation.batch
    if batch.state != Batch.State.OPEN or room_for(participation.worker_id, batch) == 0:
        return False
    if batch.experiment_id is not None and not arm_draws.is_turn(participation.worker_id, batch.pk):
        return False
    return not batch.on_marketplace or marketplaces().may_take(participation.worker, batch)


def obstacle(worker: Worker, batch: Batch, *, shut_out: str | None = None) -> str:
    """The reason why the worker may not accept a HIT of the batch now, or "".

    One of `inactive`, `consent`, `closed`, `blocked`, `not_chosen`, `paused`, `unqualified`. `shut_out`: the column of
    `exclusion` where it was read already.
    """
    if not worker.active:
        return "inactive"
    if not worker.consented:
        return "consent"
    if batch.state != Batch.State.OPEN:
        return "closed"
    # workers with an account here do it on its marketplace instead, unless it sends them to our pages
    if batch.on_marketplace and worker.user_id and not marketplaces().admits(worker, batch):
        return "not_chosen"
    if shut_out is None:
        [(shut_out,)] = _exclusions(worker.pk, batch.pk)
    if shut_out:
        return shut_out
    if batch.experiment_id is not None and not arm_draws.is_turn(worker.pk, batch.pk):
        return "not_chosen"
    if batch.check_share and hidden_gold.is_paused(worker, batch):
        return "paused"
    return "unqualified" if batch.requirements and qualification_types.lacks(worker, batch, act="accept") else ""


def exclusion(worker: Any, batch: Any) -> Case:
    """A column: "blocked", "not_chosen" if the batch is for others, or "", for keys or references to them."""
    chosen = Batch.workers.through.objects.filter(batch=batch)
    blocked, others = WorkerBlock.objects.filter(worker=worker), Exists(chosen) & ~Exists(chosen.filter(worker=worker))
    return Case(When(Exists(blocked), then=Value("blocked")), When(others, then=Value("not_chosen")), default=Value(""))


@compiled
def _exclusions(worker: int, batch: int) -> QuerySet[Worker, tuple[str]]:
    return Worker.objects.filter(pk=worker).values_list(exclusion(worker, batch))
