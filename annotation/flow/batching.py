"""Batches: from datasets to HITs that people may take, and what a requester may do with them afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from random import Random
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import (
    attempts,
    checking,
    headcount,
    holding,
    pools,
    publishing,
    recording,
    reserving,
    webhook_events,
)
from annotation.flow.choosing import LeftOut, nothing_to_ask, pick, rows_of, takes_singles
from annotation.flow.filling import silent
from annotation.flow.queueing import Lost
from annotation.flow.refusal import Refused
from annotation.flow.timing import expected_seconds
from annotation.models import Batch, Dataset, Guide, Hit, Item, Project, Round, User, Worker
from annotation.pure import pricing
from annotation.registry import task_type
from annotation.tasktype import Features

CHUNK = 200
TAKEN_WORDS = {"new"}  # an address below batches/ that is no batch
Told = Callable[[int, int], None]


def features_of(datasets: Iterable[Dataset]) -> Features:
    """What the datasets hold anywhere, taken together."""
    datasets = list(datasets)
    held = [dataset.features for dataset in datasets]
    return Features(
        yes_no=any(f.get("yes_no") for f in held),
        unanswerable=any(f.get("unanswerable") for f in held),
        options=any(f.get("options") for f in held),
        sentences=bool(held) and all(f.get("sentences") for f in held),
        paragraphs=max((int(n) for f in held for n in f.get("paragraphs", {})), default=0),
        datasets=len(datasets),
        contexts=frozenset(int(n) for f in held for n in f.get("paragraphs", {})) or None,
        hops=max((int(n) for f in held for n in f.get("hops", {})), default=None),
    )


def create_batch(
    project: Project,
    name: str,
    *,
    task: str,
    datasets: Sequence[Dataset],
    user: User | None = None,
    options: dict[str, Any] | None = None,
    guide: str,
    workers: Sequence[Worker] = (),
    **settings: Any,
) -> Batch:
    """Write a batch down as a draft; nobody sees it before `launch`. Raises Refused for what cannot be."""
    if not datasets:
        raise Refused(_("A batch needs at least one dataset."))
    if name in TAKEN_WORDS:
        raise Refused(name_taken(name))
    asked = settings.get("assignments_per_hit")
    if asked is not None and asked < 1:
        raise Refused(_("A HIT needs at least one assignment."))
    chosen = task_type(task).suggest(features_of(datasets)) | (options or {})
    try:
        task_type(task).options(chosen)
        if not settings.get("expected_seconds"):
            settings["expected_seconds"] = expected_seconds(datasets, task, chosen)
        with transaction.atomic():
            batch = Batch.objects.create(
                project=project,
                slug=name,
                task=task,
                options=chosen,
                created_by=user,
                **_settled(name, task, settings),
            )
            batch.datasets.set(datasets)
            batch.workers.set(workers)
            Guide.objects.create(batch=batch, version=1, text=guide, created_by=user)
            recording.record("created", batch, task=task)
    except ValueError as unfit:
        raise Refused(str(unfit)) from None
    except IntegrityError:
        raise Refused(name_taken(name)) from None
    return batch


def name_taken(name: str) -> str:
    return _("The name %(name)s is taken by another batch, maybe one in the bin. Choose another.") % {"name": name}


def _settled(name: str, task: str, settings: dict[str, Any]) -> dict[str, Any]:
    kind = task_type(task)
    proposed = {"title": name, "meeting": kind.meeting, "assignments_per_hit": kind.assignments}
    return proposed | {key: value for key, value in settings.items() if value is not None}


def launch(batch: Batch, *, tell: Told = silent) -> dict[str, Any]:
    """Make the HITs, set aside what they may cost, and open the batch.

    Returns {"asked", "hits", "skipped", "left_out", "warnings"}: how many items were asked for, how many HITs came of
    them, how many items are missing, and how many of which dataset for which reason. A launch that died half-way is
    begun anew. Raises Refused, back in draft, when no HIT would come out or the budget is too small, and Lost when
    another run began anew meanwhile: the batch is that run's.
    """
    publishing.prepare(batch)
    checking.check_settings(batch)
    if not batch.move(Batch.State.LAUNCHING):
        batch.refresh_from_db()
        if batch.state != Batch.State.LAUNCHING:
            raise Refused(_("This batch was launched before."))
    Batch.objects.filter(pk=batch.pk).update(next_ticket=0)
    _remove_hits(batch)
    try:
        chosen = pick(batch)
        left_out = chosen.left_out.copy()
        hits = _make_hits(batch, chosen.keys, tell, left_out)
        if not hits:
            raise Refused(nothing_to_ask(left_out))
        if round := attempts.round_of(batch):
            pools.check_made(round)
        _open(batch, hits, checks=_make_checks(batch, hits))
    except Lost:
        raise
    except BaseException:
        _remove_hits(batch)
        batch.move(Batch.State.DRAFT, next_ticket=0, picked=None)
        raise
    counts = {"asked": chosen.asked, "hits": hits, "skipped": left_out.total()}
    warnings = pools.warnings_of(pools.whole_datasets(batch)) if round else doubts(batch)
    return counts | {"left_out": rows_of(left_out), "warnings": warnings}


def _remove_hits(batch: Batch) -> None:
    while some := list(Hit.objects.filter(batch=batch).values_list("pk", flat=True)[:500]):
        Hit.objects.filter(pk__in=some).delete()


def _make_hits(batch: Batch, items: list[int], tell: Told, left_out: LeftOut) -> int:
    made = 0
    for start in range(0, len(items), CHUNK):
        some = items[start : start + CHUNK]
        hits = list(hits_of(batch, some, ticket=made, left_out=left_out))
        with transaction.atomic():
            _advance(batch, made, made + len(hits))
            Hit.objects.bulk_create(hits)
            publishing.intend(batch, hits)
        made += len(hits)
        tell(start + len(some), len(items))
    return made


def _make_checks(batch: Batch, ticket: int) -> int:
    """HITs of hidden gold, behind the others; on a marketplace they are sent among them."""
    made, most = 0, checking.wanted_beside(batch, ticket)
    keys = checking.items_of(batch)
    for start in range(0, len(keys), CHUNK):
        found = hits_of(batch, keys[start : start + CHUNK], ticket=ticket + made, check=True)
        hits = list(islice(found, most - made))
        with transaction.atomic():
            _advance(batch, ticket + made, ticket + made + len(hits))
            Hit.objects.bulk_create(hits)
            publishing.intend(batch, hits)
            publishing.mingle(batch, hits, others=ticket)
        made += len(hits)
    if batch.check_share and not made:
        raise Refused(_("Nothing is known of the items of the datasets for hidden checks, so none can be graded."))
    return made


def _advance(batch: Batch, made: int, to: int) -> None:
    """Count the HITs made so far in `next_ticket`, which tells two runs of one launch apart. Raises Lost."""
    ours = Batch.objects.filter(pk=batch.pk, state=Batch.State.LAUNCHING, next_ticket=made)
    if not ours.update(next_ticket=to):
        raise Lost


@transaction.atomic
def _open(batch: Batch, hits: int, *, checks: int) -> None:
    _advance(batch, hits + checks, hits + checks)
    batch.move(Batch.State.OPEN, launched_at=Now(), next_ticket=hits + checks, size=hits, picked=None)
    reserving.at_launch(batch)
    recording.record("launched", batch, hits=hits)
    webhook_events.moved(batch)


def hits_of(
    batch: Batch, keys: list[int], *, ticket: int, check: bool = False, left_out: LeftOut | None = None
) -> Iterator[Hit]:
    """Unsaved HITs of these items, in their order; those that the task cannot ask about are counted in `left_out`.

    Those of a round, and hidden gold (`check`) of the house, ask for nobody, because everybody may get them; where
    answers are held against gold, the gold must tell something.
    """
    task = task_type(batch.task)
    round = attempts.round_of(batch)
    for_all = round is not None or (check and batch.connection_id is None)
    graded = check or (round is not None and round.judgment == Round.Judgment.GOLD)
    options = task.options(batch.options)
    items = Item.every.select_related("dataset").in_bulk(keys)  # edited since they were drawn, perhaps
    for key in keys:
        item = items[key]
        rng = Random(f"{batch.seed}/{item.dataset.slug}/{item.position}")
        payload = task.prepare(item.example, options, rng)
        if payload is None or (graded and not task.gradable(item.example)):
            if left_out is not None:
                why = _(task.needs) if payload is None else _("Their gold cannot grade an answer.")
                left_out[item.dataset.slug, why] += 1
            continue
        yield Hit(
            batch=batch,
            item=item,
            group_key=item.group_key,
            payload=payload,
            ticket=ticket,
            wanted=0 if for_all else batch.assignments_per_hit,
            check_item=check,
            reward=most_earned(batch, payload),
        )
        ticket += 1


def most_earned(batch: Batch, payload: dict[str, Any]) -> Decimal:
    """Dollars that an assignment of a HIT with this payload earns at most."""
    cents = task_type(batch.task).pay(payload, None)
    return batch.reward if cents is None else pricing.dollars(cents)


@transaction.atomic
def discard(batch: Batch) -> bool:
    """Put a draft into the bin; False when it is no draft (any more)."""
    if not Batch.objects.filter(pk=batch.pk, state=Batch.State.DRAFT).update(removed_at=Now()):
        return False
    recording.record("removed", batch)
    return True


def doubts(batch: Batch) -> list[str]:
    """What cannot work with the people and items there are, as sentences for the requester."""
    if attempts.round_of(batch) is not None or batch.connection_id:  # items of their own; people whom nobody counts
        return checking.lacking(batch)
    people = (
        batch.workers.filter(active=True).count() if batch.workers.exists() else headcount.able_workers(batch.project)
    )
    items = Item.objects.filter(dataset__batches=batch)
    groups = (
        items.values("group_key")
        if batch.launched_at is None
        else batch.hits.filter(check_item=False).values("group_key")
    )
    apart = batch.meeting == Batch.Meeting.ONE and not takes_singles(batch)
    together = headcount.largest_group(groups) if apart else 1
    return headcount.lack_of_people(people, wanted=batch.assignments_per_hit * together)


@transaction.atomic
def pause(batch: Batch) -> bool:
    """Stop giving out HITs; what is under way may be finished. False when the batch was not open."""
    if not batch.move(Batch.State.PAUSED):
        return False
    recording.record("paused", batch)
    webhook_events.moved(batch)
    return publishing.hurry(batch)


@transaction.atomic
def resume(batch: Batch) -> bool:
    """Give out HITs again, also of a closed batch; False when it was neither paused nor closed.

    Raises Overdrawn when the budget does not cover what is to be given out again.
    """
    halted = batch.state in {Batch.State.PAUSED, Batch.State.CLOSED}  # never becomes a launch under way
    if not (halted and batch.move(Batch.State.OPEN)):
        return False
    recording.record("resumed", batch)
    reserving.level(batch)
    webhook_events.moved(batch)
    return publishing.hurry(batch)


@transaction.atomic
def close(batch: Batch) -> bool:
    """End the work: nothing is given out and no answer can be changed; late ones are still stored.

    What was set aside for places that stay empty goes back to the budget.
    """
    if not batch.move(Batch.State.CLOSED):
        return False
    recording.record("closed", batch)
    if not task_type(batch.task).launched:
        holding.end_all(batch)
    reserving.covered(batch)
    webhook_events.moved(batch)
    return publishing.hurry(batch)


@transaction.atomic
def change_guide(batch: Batch, text: str, *, user: User | None = None) -> Guide:
    """A new version of the guide; who works on the batch must read it again. The same text changes nothing."""
    Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
    last = batch.guide
    if last.text == text:
        return last
    recording.record("guide changed", batch, version=last.version + 1)
    return Guide.objects.create(batch=batch, version=last.version + 1, text=text, created_by=user)


@transaction.atomic
def change_terms(batch: Batch, *, title: str, expected_seconds: int, workers: Sequence[Worker]) -> None:
    """What may change while people work: the title, the expected time, who may take more (none: everybody)."""
    Batch.objects.filter(pk=batch.pk).update(title=title, expected_seconds=expected_seconds)
    batch.workers.set(workers)
    recording.record("settings changed", batch)
