"""Batches: creating, launching, pausing, resuming, closing and changing them."""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import islice
from random import Random
from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.events import BatchClosed, BatchLaunched, BatchLaunching, BatchPaused, BatchResumed, HitsCreated, emit
from annotation.flow.batches import cached_figures, hidden_gold, suggestions, task_fit, workers_needed
from annotation.flow.batches.hidden_gold import GoldEntry
from annotation.flow.batches.item_selection import (
    LeftOut,
    Selection,
    nothing_to_ask,
    rows_of,
    select_and_reserve,
    takes_singles,
)
from annotation.flow.data.item_writer import no_progress
from annotation.flow.data.lineage import store_origins
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds
from annotation.flow.people import consent, round_attempts
from annotation.flow.projects import audit_log
from annotation.flow.projects.job_queue import JobTakenOver
from annotation.models import Batch, Dataset, Hit, Instructions, Item, QualificationRound, User
from annotation.models.compiled import insert_many
from annotation.pure.data.example import Example
from annotation.pure.money import pricing
from annotation.pure.text.translation_marks import gettext_noop
from annotation.recruitment import has_gold_among_hits
from annotation.registry import task_type
from annotation.tasktype import Rated, capabilities

CHUNK = 200
UNGRADABLE = gettext_noop("Their gold cannot grade a response.")
SHOWING = ("task", "options", "seed")  # columns on which depends what an item shows and asks
WITHOUT_GOLD = gettext_noop("They have none of the fields that criteria of the rubric name as “gold”.")
OnProgress = Callable[[int, int], None]


def launch(batch: Batch, *, progress: OnProgress = no_progress) -> dict[str, Any]:
    """Create the HITs, set aside their maximum cost, and open the batch.

    Returns {"asked", "hits", "skipped", "left_out", "warnings"}: items asked for, HITs created, items missing, and
    their numbers by dataset and reason. A crashed launch starts again. Raises Refused, back in draft, if no HIT
    would result, none has a suggestion to show, the budget is too small or the consent text lacks something; and
    JobTakenOver if another run took over meanwhile.
    """
    emit(BatchLaunching(batch))
    consent.check_finished(batch.project)
    consent.check_paragraphs(batch)
    hidden_gold.check_settings(batch)
    task_fit.check(batch)
    if not batch.move(Batch.State.LAUNCHING):
        batch.refresh_from_db()
    if not _start_anew(batch):
        raise Refused(_("This batch is already launched."))
    try:
        chosen = select_and_reserve(batch)
        if chosen.problem:
            raise Refused(chosen.problem)
        left_out, entry = chosen.left_out.copy(), GoldEntry(batch.task)
        hits = _make_hits(batch, chosen, progress, left_out, entry)
        if entry.problem:
            raise Refused(entry.problem)
        if not hits:
            raise Refused(nothing_to_ask(left_out))
        suggestions.check_made(batch)
        if round := round_attempts.round_of(batch):
            round_attempts.check_made(round)
        _open(batch, hits, chosen, checks=_make_checks(batch, hits))
    except JobTakenOver:  # the process that took it over goes on with this state
        raise
    except BaseException:  # also if the process is told to stop: a draft without HITs can be launched again
        if _start_anew(batch):  # not if another run has opened it meanwhile
            batch.move(Batch.State.DRAFT, next_ticket=0, picked=None)
        raise
    counts = {"asked": chosen.requested, "hits": hits, "skipped": left_out.total()}
    return counts | {"left_out": rows_of(left_out), "warnings": [*warnings(batch), *chosen.warnings]}


def _start_anew(batch: Batch) -> bool:
    """Stop other runs of the launch at their next step, and remove the HITs that they made; False if it is over.

    Each step looks again at the batch's row, and locks it: another run may open the batch, or make HITs, at any time.
    Raises JobTakenOver if one has made HITs since.
    """
    launching = Batch.objects.filter(pk=batch.pk, state=Batch.State.LAUNCHING)
    if not launching.update(next_ticket=0):
        return False
    while _remove_some(batch):
        pass
    return True


@transaction.atomic
def _remove_some(batch: Batch) -> bool:
    _advance(batch, 0, 0)
    some = list(Hit.objects.filter(batch=batch).values_list("pk", flat=True)[:500])
    Hit.objects.filter(pk__in=some).delete()
    return bool(some)


def _make_hits(batch: Batch, chosen: Selection, progress: OnProgress, left_out: LeftOut, entry: GoldEntry) -> int:
    made, items = 0, chosen.keys
    for start in range(0, len(items), CHUNK):
        some = items[start : start + CHUNK]
        hits = list(hits_of(batch, some, ticket=made, left_out=left_out, entry=entry))
        for hit in hits:
            hit.inclusion_probability = chosen.chances.get(hit.item_id)
        _store(batch, made, hits)
        made += len(hits)
        progress(start + len(some), len(items))
    return made


def _make_checks(batch: Batch, ticket: int) -> int:
    """Create HITs of hidden gold after the others; on a marketplace they are published among them."""
    made, most = 0, hidden_gold.checks_needed(batch, ticket)
    keys = hidden_gold.items_of(batch)
    for start in range(0, len(keys), CHUNK):
        found = hits_of(batch, keys[start : start + CHUNK], ticket=ticket + made, check=True)
        hits = list(islice(found, most - made))
        _store(batch, ticket + made, hits, gold_among=ticket)
        made += len(hits)
    if batch.check_share and not made:
        raise Refused(_("None of the items chosen for hidden gold has a known answer, so none can be graded."))
    return made


@transaction.atomic
def _store(batch: Batch, made: int, hits: list[Hit], *, gold_among: int | None = None) -> None:
    _advance(batch, made, made + len(hits))
    batch_funds.set_advertised_rewards(batch, hits)
    insert_many(hits)
    keys = dict(batch.hits.filter(ticket__gte=made).values_list("ticket", "pk"))
    for hit in hits:
        hit.pk = keys[hit.ticket]
    emit(HitsCreated(batch, hits, gold_among=gold_among))


def _advance(batch: Batch, made: int, to: int) -> None:
    """Store the number of HITs made in `next_ticket`, by which a run notices another one. Raises JobTakenOver."""
    own = Batch.objects.filter(pk=batch.pk, state=Batch.State.LAUNCHING, next_ticket=made)
    if not own.update(next_ticket=to):
        raise JobTakenOver


@transaction.atomic
def _open(batch: Batch, hits: int, chosen: Selection, *, checks: int) -> None:
    _advance(batch, hits + checks, hits + checks)
    if chosen.by and not batch.models.filter(pk=chosen.by.model.pk).update(drew_up_to=chosen.by.last):
        raise Refused(_("The predictions by which the items were drawn have been deleted meanwhile."))
    batch.move(Batch.State.OPEN, launched_at=Now(), next_ticket=hits + checks, size=hits, picked=None)
    store_origins(batch)
    batch_funds.at_launch(batch)
    audit_log.record("launched", batch, hits=hits)
    emit(BatchLaunched(batch))


def hits_of(
    batch: Batch,
    keys: list[int],
    *,
    ticket: int,
    check: bool = False,
    left_out: LeftOut | None = None,
    entry: GoldEntry | None = None,
) -> Iterator[Hit]:
    """Unsaved HITs of these items, in their order; items that the task cannot use are counted in `left_out`.

    HITs of a round, and hidden gold (`check`) on the built-in marketplace, start without assignments, which are added
    on demand for each worker; if responses are graded by gold, the gold must be usable.
    """
    task = task_type(batch.task)
    round = round_attempts.round_of(batch)
    for_all = round is not None or (check and not has_gold_among_hits(batch))
    graded = check or (round is not None and round.grading == QualificationRound.Grading.GOLD)
    options = task.options(batch.options)
    # `every`, because items may have been edited since they were drawn
    items = Item.every.only("dataset", "position", "source_id", "group_key", "question", "content").in_bulk(keys)
    datasets = Dataset.objects.in_bulk({item.dataset_id for item in items.values()})
    suggested = {} if check else suggestions.suggestions_of(batch, keys)
    for key in keys:
        item = items[key]
        item.dataset = datasets[item.dataset_id]
        example = item.example  # parsed once: each look at it parses it anew
        payload = prepared(batch, item, example, options)
        if payload is None or (graded and not task.gradable(payload, example)):
            if left_out is not None:
                lacking = _(WITHOUT_GOLD if isinstance(task, Rated) else UNGRADABLE)
                why = task_fit.why_left_out(task, example, options) if payload is None else lacking
                left_out[item.dataset.slug, why] += 1
            continue
        if entry is not None:
            entry.look(item, payload, example)
        yield Hit(
            batch=batch,
            item=item,
            group_key=item.group_key,
            payload=payload,
            ticket=ticket,
            wanted=0 if for_all else batch.most_assignments if key in suggested else batch.assignments_per_hit,
            suggestion=suggested.get(key),
            check_item=check,
            reward=most_earned(batch, payload),
        )
        ticket += 1


def prepared(batch: Batch, item: Item, example: Example, options: Any) -> dict[str, Any] | None:
    """The payload of the batch's HIT of an item, with the batch's parsed options; None: the task cannot use it.

    `example` is the item's, parsed.
    """
    rng = Random(f"{batch.seed}/{item.dataset.slug}/{item.position}")
    return task_type(batch.task).prepare(example, options, rng)


def most_earned(batch: Batch, payload: dict[str, Any]) -> Decimal:
    """The most that an assignment of a HIT with this payload can earn, in dollars."""
    cents = capabilities.pay(task_type(batch.task), payload, None)
    return batch.reward if cents is None else pricing.dollars(cents)


@transaction.atomic
def discard_draft(batch: Batch) -> bool:
    """Move a draft to the bin; False if it is not a draft (any more)."""
    if not Batch.objects.filter(pk=batch.pk, state=Batch.State.DRAFT).update(removed_at=Now()):
        return False
    audit_log.record("removed", batch)
    return True


def warnings(batch: Batch) -> list[str]:
    """What a launch warns of, as things are now."""
    if round_attempts.round_of(batch) is not None:
        return round_attempts.warnings_of(round_attempts.whole_datasets(batch))
    return setting_warnings(batch, batch.datasets.all())


def setting_warnings(batch: Batch, datasets: Iterable[Dataset] = ()) -> list[str]:
    """Warnings for the requester about settings that cannot work with the current workers and these datasets' items."""
    told = task_fit.warnings(datasets, task_type(batch.task), batch.options)
    if _brings_workers(batch):
        return told + hidden_gold.lacking(batch)
    chosen = batch.workers.filter(active=True).count() if batch.workers.exists() else None
    people = workers_needed.able_workers(batch.project) if chosen is None else chosen
    return told + workers_needed.lack_of_people(people, wanted=_workers_wanted(batch))


def workers_missing(batch: Batch) -> int:
    """How many more workers must join the project to complete its HITs; 0 where the batch has its own workers.

    Counts also the HITs of a group that one worker may not all get, so it reads all HITs.
    """
    if _brings_workers(batch) or batch.workers.exists():
        return 0
    return max(0, _workers_wanted(batch) - workers_needed.able_workers(batch.project))


def _brings_workers(batch: Batch) -> bool:
    return batch.on_marketplace or round_attempts.round_of(batch) is not None


def _workers_wanted(batch: Batch) -> int:
    """How many different workers its open HITs, or those that cannot be given to one worker, need."""
    is_draft, each = batch.launched_at is None, batch.most_assignments
    if not is_draft and not (each := workers_needed.still_wanted(Batch.objects.filter(pk=batch.pk)).get(batch.pk, 0)):
        return 0
    most = 1
    if batch.meeting == Batch.Meeting.ONE and not takes_singles(batch):
        rows = Item.objects.filter(dataset__batches=batch)
        most = workers_needed.largest_group(rows.values("group_key")) if is_draft else _largest_group(batch)
    return max(each * most, workers_needed.by_limit(batch, batch.size))


@cached_figures.cached_figure("largest-group")
def _largest_group(batch: Batch) -> int:
    return workers_needed.largest_group(batch.hits.filter(check_item=False).values("group_key"))


@transaction.atomic
def pause(batch: Batch) -> bool:
    """Stop new assignments; assignments under way can be finished. False if the batch is not open."""
    if not batch.move(Batch.State.PAUSED):
        return False
    audit_log.record("paused", batch)
    emit(BatchPaused(batch))
    return True


@transaction.atomic
def resume(batch: Batch) -> bool:
    """Resume a paused or closed batch; False if it is neither.

    Raises Overdrawn if the budget does not cover its free assignments, and Refused if the consent text does not say
    what the batch counts.
    """
    consent.check_paragraphs(batch)
    halted = batch.state in {Batch.State.PAUSED, Batch.State.CLOSED}  # excludes batches in launch
    if not (halted and batch.move(Batch.State.OPEN)):
        return False
    audit_log.record("resumed", batch)
    batch_funds.adjust_hold(batch)
    emit(BatchResumed(batch))
    return True


@transaction.atomic
def close(batch: Batch) -> bool:
    """Close a batch: no new assignments, and responses can no longer be changed; late ones are still stored.

    Money set aside for free assignments goes back to the budget.
    """
    if not batch.move(Batch.State.CLOSED):
        return False
    audit_log.record("closed", batch)
    batch_funds.covered(batch)
    emit(BatchClosed(batch))
    return True


@transaction.atomic
def change_instructions(batch: Batch, text: str, *, user: User | None = None) -> Instructions:
    """Create a new version of the instructions, which workers must read. The same text changes nothing."""
    # Lock: two changes at the same time would get the same version number.
    Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
    last = batch.instructions
    if last.text == text:
        return last
    audit_log.record("guide changed", batch, version=last.version + 1)
    return Instructions.objects.create(batch=batch, version=last.version + 1, text=text, created_by=user)
