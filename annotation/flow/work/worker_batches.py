"""The batches that a person may see as a worker, with the HITs left for them: a few queries, however many batches.

The cost of a batch does not depend on its size: only the next LOOK open HITs after the worker's cursor are looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FloatField,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.flow.batches import hidden_gold
from annotation.flow.people import round_attempts
from annotation.flow.work import arm_draws, eligibility
from annotation.flow.work.met_groups import ALIVE_OR_DONE, has_met_related, source_batches
from annotation.models import Assignment, Batch, Hit, Participation, ReservedHit, Worker, WorkerBlock
from annotation.models.compiled import compiled
from annotation.pure.batches import lifecycle
from annotation.pure.money.pricing import rounded

LOOK = 100
LATEST, ENOUGH = 20, 5  # a worker's pace is that of their latest responses, once there are enough
HOUR = Decimal(3600)


@dataclass(frozen=True, slots=True)
class WorkerBatch:
    """A batch as one worker sees it.

    `left`: HITs that they may have now, with the one under way; with `at_least` there may be more. `total`: assignments
    that they are offered. `missing`: unmet requirements. `rewards`: see `eligibility.rewards_of`. `pace`: mean active
    seconds of the worker's own latest responses here; None before there are ENOUGH.
    """

    batch: Batch
    done: int
    under_way: bool
    left: int
    at_least: bool
    total: int
    missing: Sequence[eligibility.Missing]
    rewards: tuple[Decimal, Decimal] | None
    pace: float | None
    others_at_work: bool  # who may return HITs

    @property
    def may_start(self) -> bool:
        """Whether a HIT can be had now."""
        return bool(self.left) or self.at_least

    @property
    def is_finished(self) -> bool:
        """Whether no HIT is left for the worker, nor will one come back from others."""
        return self.batch.state == Batch.State.OPEN and not (self.may_start or self.others_at_work)

    @property
    def an_hour(self) -> Decimal | None:
        """Dollars an hour at the worker's own pace; None before there is one, or where pay depends on the response."""
        if not self.rewards or not self.pace or self.rewards[0] != self.rewards[1]:
            return None
        return rounded(self.rewards[1] * HOUR / Decimal(self.pace))

    @property
    def minutes(self) -> int:
        """The usual minutes for one of its HITs."""
        return max(1, round(self.batch.expected_seconds / 60))


def worker_batches(workers: Sequence[Worker]) -> list[WorkerBatch]:
    """The open and paused batches that these workers, all of one person, may discover.

    Newest first, those without a HIT for them last.
    """
    by_project = {worker.project_id: worker for worker in workers}
    rows: list[Any] = [row for user in {worker.user_id for worker in workers} if user for row in _batches(user)]
    rows = [row for row in rows if row.project_id in by_project]
    for row in rows:
        row.project = by_project[row.project_id].project
    seen = eligibility.discovered([(by_project[row.project_id], row) for row in rows])
    rounds = {row.pk: row.worker_key for row in rows if row.purpose == Batch.Purpose.QUALIFICATION}
    rewards = eligibility.rewards_of([row for row in rows if row.pk in seen])
    attempts = round_attempts.items_left_and_offered(rounds)
    found = [_worker_batch(row, attempts.get(row.pk), seen[row.pk], rewards[row.pk]) for row in rows if row.pk in seen]
    found = _with_experiments(found, workers)
    return sorted(found, key=lambda each: not each.may_start)


def _with_experiments(rows: list[WorkerBatch], workers: Sequence[Worker]) -> list[WorkerBatch]:
    """The rows with one for all arms of an experiment, where its first was."""
    shown = arm_draws.shown_once([row.batch for row in rows], workers)
    found = []
    for row in rows:
        if row.batch.experiment_id not in shown:
            if row.batch.experiment_id is None:
                found.append(row)
            continue
        gets_all, keys = shown.pop(row.batch.experiment_id)
        by_key = {each.batch.pk: each for each in rows}
        if arms := [by_key[key] for key in keys if key in by_key]:
            found.append(_merged(arms, gets_all=gets_all))
    return found


def _merged(arms: Sequence[WorkerBatch], *, gets_all: bool) -> WorkerBatch:
    """The row of an experiment. Of its arms, all are for the worker, or one, which they may not have drawn yet."""
    first, over = arms[0], sum if gets_all else min
    return replace(
        first,
        left=over(arm.left for arm in arms),
        total=over(arm.total for arm in arms),
        at_least=any(arm.at_least for arm in arms),
        under_way=any(arm.under_way for arm in arms),
        **arm_draws.common_terms(arms),
        others_at_work=any(arm.others_at_work for arm in arms),
    )


def _worker_batch(
    row: Any,  # a Batch with the columns of the query above
    attempt: tuple[int, int] | None,
    missing: Sequence[eligibility.Missing],
    rewards: tuple[Decimal, Decimal] | None,
) -> WorkerBatch:
    """`attempt`: what is left and offered in a qualification round."""
    is_open, at_least = row.state == Batch.State.OPEN, False
    if attempt is not None:
        left, offered = attempt
        left *= is_open
    else:
        left, offered = _left(row) if is_open else 0, row.size + row.checks_to_see
        at_least = is_open and row.has_more
    if row.most_per_worker is not None:
        room = max(0, row.most_per_worker - row.done - row.under_way)
        at_least, left, offered = at_least and left < room, min(left, room), min(offered, row.most_per_worker)
    left += row.under_way
    total = row.size if at_least else min(offered, row.done + left)
    return WorkerBatch(
        row, row.done, row.under_way, left, at_least, total, missing, rewards, row.pace, row.others_at_work
    )


def _left(row: Any) -> Any:
    ordinary = row.ordinary + row.reserved
    if not row.check_share or not ordinary:
        return ordinary
    worker = Participation(batch=row, worker_id=row.worker_key)
    return ordinary + hidden_gold.reckoned(worker, number=row.had, left=ordinary, checks=row.checks_unseen)


class CountOpen(Subquery):
    """The number of rows of a query, which may be limited, that are not `closed`."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS stretch WHERE NOT stretch.closed)"
    output_field = IntegerField()


class MeanSeconds(Subquery):
    """The mean `active_seconds` of a query's rows, which may be limited; None for fewer than `enough`."""

    template = "(SELECT CASE WHEN COUNT(*) >= %(enough)s THEN AVG(active_seconds) END FROM (%(subquery)s) AS latest)"
    output_field = FloatField()


@compiled
def _batches(user: int) -> QuerySet[Batch]:
    """The batches of the person's projects that are not closed to them, with what `_worker_batch` reads."""
    chosen = Batch.workers.through.objects.filter(batch=OuterRef("pk"))
    own = Assignment.objects.filter(worker=OuterRef("worker_key"), batch=OuterRef("pk"))
    joined = Participation.objects.filter(worker=OuterRef("worker_key"), batch=OuterRef("pk"))
    last = own.filter(state=lifecycle.SUBMITTED).order_by("-submitted_at").values("group_key")[:1]
    rows = Batch.objects.filter(project__workers__user=user, on_marketplace=False)
    rows = rows.filter(state__in=[Batch.State.OPEN, Batch.State.PAUSED]).annotate(
        worker_key=F("project__workers"),
        done=Coalesce(Subquery(joined.values("done")), 0),
        cursor=Coalesce(Subquery(joined.values("cursor")), -1),
        last_group=Coalesce(Subquery(joined.values("last_group")), Value("")),
        last_submitted=Coalesce(Case(When(meeting=Batch.Meeting.APART, then=Subquery(last))), Value("")),
        pace=MeanSeconds(
            own.filter(state=lifecycle.SUBMITTED, active_seconds__gt=0)
            .order_by("-submitted_at")
            .values("active_seconds")[:LATEST],
            enough=ENOUGH,
        ),
        under_way=Exists(own.filter(state=lifecycle.ACCEPTED)),
        others_at_work=Exists(Assignment.objects.filter(batch=OuterRef("pk"), state=lifecycle.ACCEPTED)),
    )
    queue = Hit.objects.open().filter(batch=OuterRef("pk"), check_item=False, ticket__gt=OuterRef("cursor"))
    queue = queue.order_by("ticket")
    kept = ReservedHit.objects.filter(batch=OuterRef(OuterRef("pk")), worker=OuterRef(OuterRef("worker_key")))
    reserved = Hit.objects.filter(pk__in=kept.filter(taken_at__isnull=True).values("hit"), excluded_at__isnull=True)
    checks = Hit.objects.filter(batch=OuterRef("pk"), check_item=True, excluded_at__isnull=True)
    had = Assignment.objects.filter(hit=OuterRef("pk"), worker=OuterRef(OuterRef("worker_key")))
    has_checks, has_reserved = Q(check_share__gt=0), Q(has_reserved_hits=True)
    rows = rows.annotate(
        ordinary=CountOpen(queue.annotate(closed=_is_closed() | _is_reserved()).values("closed")[:LOOK]),
        has_more=Exists(queue[LOOK : LOOK + 1]),
        reserved=_if(has_reserved, CountOpen(reserved.annotate(closed=_is_closed()).values("closed"))),
        had=_if(has_checks, _counted(own)),
        checks_to_see=_if(has_checks, _counted(checks)),
        checks_unseen=_if(has_checks, _counted(checks.exclude(Exists(had)))),
    )
    open_to_all = ~Exists(chosen) | Exists(chosen.filter(worker=OuterRef("worker_key")))
    blocked = Exists(WorkerBlock.objects.filter(worker=OuterRef("worker_key")))
    return rows.filter(open_to_all, ~blocked).order_by("-launched_at")


def _if(condition: Q, number: Subquery) -> Coalesce:
    return Coalesce(Case(When(condition, then=number)), 0)


def _counted(rows: QuerySet[Assignment] | QuerySet[Hit]) -> Subquery:
    return Subquery(rows.order_by().values("batch").annotate(number=Count("pk")).values("number"))


def _is_closed() -> Q:
    """Whether a HIT of a batch's row is closed to its worker, as in `open_work.candidates`."""
    own = Assignment.objects.filter(worker=OuterRef(OuterRef("worker_key")), group_key=OuterRef("group_key"))
    met = own.filter(state__in=ALIVE_OR_DONE)
    too_soon = Q(group_key=OuterRef("last_group")) | Q(group_key=OuterRef("last_submitted"))
    # The same from further in, in conditions on assignments inside `has_met_related`.
    worker, batch = OuterRef(OuterRef(OuterRef("worker_key"))), OuterRef(OuterRef("batch"))
    parts_elsewhere = has_met_related(worker, ~Q(batch=batch))
    own_words = Q(Exists(met.filter(batch__in=source_batches(batch))))
    own_words_in_parts = has_met_related(worker, Q(batch__in=source_batches(OuterRef(batch))))
    return (
        Q(Exists(own.filter(hit=OuterRef("pk"))))
        | Q(Exists(met.filter(batch=OuterRef("batch"))), batch__meeting=Batch.Meeting.ONE)
        | Q(Exists(met.exclude(batch=OuterRef("batch"))), batch__fresh_only=True)
        | (Q(batch__fresh_only=False) & own_words)
        | (Q(batch__has_group_parts=True, batch__fresh_only=True) & parts_elsewhere)
        | (Q(batch__has_group_parts=True, batch__fresh_only=False) & own_words_in_parts)
        | Q(too_soon, batch__meeting=Batch.Meeting.APART)
    )


def _is_reserved() -> Q:
    """Whether a HIT of a batch's row is reserved for its worker."""
    rows = ReservedHit.objects.filter(hit=OuterRef("pk"), worker=OuterRef(OuterRef("worker_key")))
    return Q(Exists(rows.filter(taken_at__isnull=True)), batch__has_reserved_hits=True)
