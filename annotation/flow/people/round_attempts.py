"""Attempts at a qualification round: drawing items, the next one, the end, and the figures.

Requesters' side of a round is in `flow/people/qualification_rounds`. `next_assignment.claim` uses this module.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.batches import item_selection
from annotation.flow.errors import Refused
from annotation.models import (
    Assignment,
    Attempt,
    Batch,
    GroupPart,
    Hit,
    QualificationRound,
    Worker,
    WorkerResponse,
    clock,
)
from annotation.pure.batches import lifecycle
from annotation.pure.people import round_rules
from annotation.pure.people.round_draw import Candidate, drawn
from annotation.pure.statistics.metrics import scored_as
from annotation.registry import task_type
from annotation.tasktype import capabilities


def round_of(batch: Batch) -> QualificationRound | None:
    """The batch's round, or None; no query for a production batch."""
    if batch.purpose != Batch.Purpose.QUALIFICATION or batch.pk is None:
        return None
    found = QualificationRound.objects.filter(batch=batch).first()
    if found is not None:
        found.batch = batch
    return found


def latest(round: QualificationRound, worker: Worker | int) -> Attempt | None:
    """The worker's last attempt with its round; None before the first."""
    found = Attempt.objects.filter(round=round, worker=worker).order_by("-number").first()
    if found is not None:
        found.round = round
    return found


def begin(round: QualificationRound, worker: Worker, number: int = 1) -> Attempt:
    """Draw the worker's items and start the attempt's time; returns an attempt that began already."""
    hits = _drawn(round, worker, number)
    found, _new = Attempt.objects.get_or_create(round=round, worker=worker, number=number, defaults={"hits": hits})
    found.round = round
    return found


def begin_again(round: QualificationRound, worker: Worker) -> Attempt | None:
    """The worker's next attempt, with items that they have not seen; None if they may have none."""
    last = latest(round, worker)
    return begin(round, worker, last.number + 1) if last is not None and may_begin_again(last) else None


def may_begin_again(last: Attempt) -> bool:
    """Whether the worker may begin another attempt after this failed one."""
    return last.finished_at is not None and last.passed is False and last.number < last.round.attempts


def _drawn(round: QualificationRound, worker: Worker, number: int) -> list[int]:
    batch = round.batch
    rows = batch.hits.filter(excluded_at__isnull=True).order_by("item__dataset__slug", "item__position")
    pool = [Candidate(*row) for row in rows.values_list("pk", "group_key", "item__dataset__slug")]
    before = Attempt.objects.filter(round=round, worker=worker, number__lt=number).values_list("hits", flat=True)
    seen = {pk for hits in before for pk in hits}
    alone = batch.meeting == Batch.Meeting.ONE
    closed = {one.group for one in pool if one.key in seen} if alone else set()
    if batch.fresh_only:
        elsewhere = Assignment.objects.filter(worker=worker).exclude(batch=batch)
        alive = elsewhere.filter(state__in=[lifecycle.ACCEPTED, lifecycle.SUBMITTED])
        closed |= set(alive.values_list("group_key", flat=True))
        if batch.has_group_parts:
            closed |= _related_to(alive)
    return drawn(
        [one for one in pool if one.key not in seen],
        round_rules.shares(round.per_worker, datasets_of(round)),
        Random(f"{batch.seed}/{worker.pk}/{number}"),
        closed=closed,
        alone=alone,
        apart=batch.meeting == Batch.Meeting.APART,
    )


def _related_to(assignments: QuerySet[Assignment]) -> set[str]:
    """The groups that those of the assignments are made of, and those made of them."""
    groups = assignments.values("group_key")
    parts = GroupPart.objects.filter(group_key__in=groups).values_list("part_key", flat=True)
    return {*parts, *GroupPart.objects.filter(part_key__in=groups).values_list("group_key", flat=True)}


def datasets_of(round: QualificationRound) -> list[str]:
    """Slugs of the datasets that items are drawn from, in order."""
    return list(round.batch.datasets.order_by("slug").values_list("slug", flat=True))


def next_hit(attempt: Attempt) -> Hit | None:
    """The next HIT: one that the worker never had, else one that they returned; None if nothing is left."""
    rows = Hit.objects.filter(pk__in=attempt.hits, excluded_at__isnull=True).only("pk", "group_key", "ticket")
    hits = rows.in_bulk()
    assignments = Assignment.objects.filter(worker=attempt.worker_id, hit__in=attempt.hits)
    states = dict(assignments.values_list("hit", "state"))
    order = [pk for pk in attempt.hits if pk in hits and pk not in states]
    order += [pk for pk in attempt.hits if states.get(pk) in {lifecycle.RETURNED, lifecycle.EXPIRED} and pk in hits]
    return hits[order[0]] if order else None


def left(round: QualificationRound, worker: int) -> int:
    """The number of items left in the worker's attempt, without the one under way; all before the first attempt."""
    attempt = latest(round, worker)
    if attempt is None:
        return round.per_worker if is_open(round) else 0
    if is_over(attempt):
        return 0
    begun = [lifecycle.SUBMITTED, lifecycle.ACCEPTED]
    assignments = Assignment.objects.filter(worker=worker, hit__in=attempt.hits, state__in=begun)
    excluded = Hit.objects.filter(pk__in=attempt.hits, excluded_at__isnull=False)
    others = excluded.exclude(pk__in=assignments.values("hit"))
    return len(attempt.hits) - assignments.count() - others.count()


def offered(attempt: Attempt | None, round: QualificationRound) -> int:
    """The number of items in all attempts that the worker began."""
    return round.per_worker * (attempt.number if attempt else 1)


def items_left_and_offered(workers: Mapping[int, int]) -> dict[int, tuple[int, int]]:
    """`left` and `offered` in each of many rounds; three queries. `workers`: the worker of each batch, by its key."""
    if not workers:
        return {}
    rounds = {row.batch_id: row for row in QualificationRound.objects.filter(batch__in=workers)}
    rows = Attempt.objects.filter(round__batch__in=workers, worker__in=set(workers.values())).order_by("number")
    attempts = {row.round_id: row for row in rows}
    drawn_hits = Hit.objects.filter(pk__in={pk for row in attempts.values() for pk in row.hits})
    begun = Assignment.objects.filter(hit=OuterRef("pk"), worker__in=set(workers.values()))
    begun = begun.filter(state__in=[lifecycle.SUBMITTED, lifecycle.ACCEPTED])
    gone = set(drawn_hits.filter(Exists(begun) | Q(excluded_at__isnull=False)).values_list("pk", flat=True))
    found = {}
    for batch, round in rounds.items():
        attempt = attempts.get(round.pk, Attempt(started_at=clock.now()))
        attempt.round = round
        end, hits = deadline(attempt), len({*attempt.hits} - gone) if attempt.pk else round.per_worker
        is_over = attempt.finished_at is not None or (end is not None and end <= clock.now())
        found[batch] = (0 if is_over else hits, offered(attempt, round))
    return found


def deadline(attempt: Attempt) -> datetime | None:
    """The end of the attempt: by its own time limit or the round's end, whichever comes first."""
    limit = attempt.started_at + timedelta(seconds=attempt.round.seconds) if attempt.round.seconds else None
    ends = [moment for moment in (limit, attempt.round.closes_at) if moment is not None]
    return min(ends) if ends else None


def is_open(round: QualificationRound) -> bool:
    """Whether the round has not ended, by the database's clock."""
    return round.closes_at is None or QualificationRound.objects.filter(pk=round.pk, closes_at__gt=Now()).exists()


def is_over(attempt: Attempt) -> bool:
    """Whether the attempt is finished or its time is over, by the database's clock."""
    if attempt.finished_at is not None:
        return True
    end = deadline(attempt)
    return end is not None and not Attempt.objects.annotate(now=Now()).filter(pk=attempt.pk, now__lt=end).exists()


def is_closed_to(round: QualificationRound, row: Assignment) -> bool:
    """Whether an assignment of the round can no longer be worked on because its attempt is over."""
    attempt = latest(round, row.worker_id)
    return attempt is None or row.hit_id not in attempt.hits or is_over(attempt)


def settle(attempt: Attempt) -> bool:
    """Finish the attempt once all is answered or its time is over; True if it is finished now.

    Graded by gold, its figures and result are stored at once; graded by a requester, later.
    """
    if attempt.finished_at is not None:
        return True
    if not is_over(attempt) and (next_hit(attempt) is not None or _under_way(attempt).exists()):
        return False
    round = attempt.round
    figures = gold_figures(attempt) if round.grading == QualificationRound.Grading.GOLD else {}
    passed = _passes(round, figures) if figures else None
    rows = Attempt.objects.filter(pk=attempt.pk, finished_at__isnull=True)
    rows.update(figures=figures, passed=passed, finished_at=Now())
    attempt.refresh_from_db(fields=["figures", "passed", "finished_at"])
    return True


def _passes(round: QualificationRound, figures: dict[str, float]) -> bool | None:
    return round_rules.passes(round_rules.read_rule(round.rule), figures, datasets_of(round))


def _under_way(attempt: Attempt) -> QuerySet[Assignment]:
    assignments = Assignment.objects.filter(worker=attempt.worker_id, hit__in=attempt.hits, state=lifecycle.ACCEPTED)
    return assignments.filter(hit__excluded_at__isnull=True)


def answers_of(attempt: Attempt) -> dict[int, WorkerResponse]:
    """The latest responses by HIT that were in time, with their assignments."""
    submitted = Assignment.objects.filter(worker=attempt.worker_id, hit__in=attempt.hits, state=lifecycle.SUBMITTED)
    end = deadline(attempt)
    if end is not None:
        submitted = submitted.filter(submitted_at__lte=end)
    rows = WorkerResponse.objects.filter(assignment__in=submitted, revision=F("assignment__revision"))
    return {row.assignment.hit_id: row for row in rows.select_related("assignment")}


def hits_of(attempt: Attempt) -> list[Hit]:
    """HITs of the attempt that are not excluded, with items and datasets, in the order of the draw."""
    rows = Hit.objects.filter(excluded_at__isnull=True).select_related("item__dataset").in_bulk(attempt.hits)
    return [rows[pk] for pk in attempt.hits if pk in rows]


def gold_figures(attempt: Attempt) -> dict[str, float]:
    """Means of the task's measures, by figure and by dataset; items not answered in time count as 0."""
    task = task_type(attempt.round.batch.task)
    answers = answers_of(attempt)
    nothing = dict.fromkeys({clause.figure for clause in round_rules.read_rule(attempt.round.rule)}, 0.0)
    rows = []
    for hit in hits_of(attempt):
        given = answers.get(hit.pk)
        gold, source = hit.item.example, hit.item.dataset
        format = scored_as(gold, source.format)
        measured = capabilities.measure(task, hit.payload, given.answer, gold, format=format) if given else nothing
        rows.append((source.slug, measured))
    return round_rules.means(rows)


@transaction.atomic
def recount(hit: Hit) -> int:
    """Recompute finished attempts with a HIT that was excluded or restored; returns how many."""
    round = round_of(hit.batch)
    if round is None or round.grading != QualificationRound.Grading.GOLD:
        return 0
    rows = Attempt.objects.filter(round=round, finished_at__isnull=False, worker__assignments__hit=hit)
    touched = [attempt for attempt in rows if hit.pk in attempt.hits]
    for attempt in touched:
        attempt.round = round
        figures = gold_figures(attempt)
        Attempt.objects.filter(pk=attempt.pk).update(figures=figures, passed=_passes(round, figures))
    return len(touched)


def finish_due(*, limit: int = 500) -> int:
    """Finish attempts whose time is over; returns how many. A sweep: safe to run anywhere and twice."""
    limited = Q(round__seconds__isnull=False) | Q(round__closes_at__lte=Now())
    rows = Attempt.objects.filter(limited, finished_at__isnull=True).select_related("round__batch")
    return sum(settle(attempt) for attempt in rows.order_by("started_at")[:limit] if is_over(attempt))


def pool_of(batch: Batch) -> dict[str, int]:
    """The number of items of each dataset in a round's pool; for a draft, as a launch would select them."""
    return item_selection.select(batch).by_dataset if batch.launched_at is None else _of_hits(batch)


def _of_hits(batch: Batch) -> dict[str, int]:
    counted = dict.fromkeys(sorted(batch.datasets.values_list("slug", flat=True)), 0)
    rows = batch.hits.order_by().values_list("item__dataset__slug").annotate(n=Count("pk"))
    return counted | dict(rows)


def check_made(round: QualificationRound) -> None:
    """Refuse a launch with too few HITs for the round."""
    check(_of_hits(round.batch), per_worker=round.per_worker, tries=round.attempts)


def check(there: Mapping[str, int], *, per_worker: int, tries: int) -> None:
    """Refuse a round whose datasets have too few items: no worker sees one twice, and each dataset gives its share."""
    for slug, share in round_rules.shares(per_worker, sorted(there)).items():
        if there[slug] < share * tries:
            text = _("%(name)s has %(there)s items for this qualification round, which needs %(wanted)s.")
            raise Refused(text % {"name": slug, "there": there[slug], "wanted": share * tries})


def whole_datasets(batch: Batch) -> list[str]:
    """Datasets of a round that have no items left for other batches."""
    pool = pool_of(batch)
    sizes = {dataset.slug: dataset.items.usable().count() for dataset in batch.datasets.all()}
    return [slug for slug, held in pool.items() if held == sizes[slug]]


def warnings_of(names: list[str]) -> list[str]:
    """Warnings that a round reserves whole datasets; empty if it reserves none."""
    if not names:
        return []
    text = ngettext(
        "This qualification round uses every item of %(names)s, so no items are left for production batches. "
        "Give the round a pool to leave some.",
        "This qualification round uses every item of the datasets %(names)s, so no items are left for "
        "production batches. Give the round a pool to leave some.",
        len(names),
    )
    return [text % {"names": ", ".join(names)}]
