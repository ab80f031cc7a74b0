"""Batches: from datasets to HITs that people may take, and what a requester may do with them afterwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Max, Min, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.filling import silent
from annotation.flow.queueing import Lost
from annotation.flow.refusal import Refused
from annotation.flow.timing import expected_seconds
from annotation.models import Batch, Dataset, Guide, Hit, Item, Project, User, Worker
from annotation.registry import task_type
from annotation.tasktype import Features

CHUNK = 200
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
    if settings.get("assignments_per_hit", 1) < 1:
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
    except ValueError as unfit:
        raise Refused(str(unfit)) from None
    except IntegrityError:
        raise Refused(name_taken(name)) from None
    return batch


def name_taken(name: str) -> str:
    return _("The name %(name)s is taken by another batch. Choose another.") % {"name": name}


def _settled(name: str, task: str, settings: dict[str, Any]) -> dict[str, Any]:
    proposed = {"title": name, "meeting": task_type(task).meeting}
    return proposed | {key: value for key, value in settings.items() if value is not None}


def launch(batch: Batch, *, tell: Told = silent) -> dict[str, Any]:
    """Make the HITs and open the batch; returns {"hits", "skipped", "warnings"}.

    A launch that died half-way is begun anew. Raises Refused, back in draft, when no HIT would come out, and
    Lost when another run began anew meanwhile: the batch is that run's.
    """
    if not batch.move(Batch.State.LAUNCHING):
        batch.refresh_from_db()
        if batch.state != Batch.State.LAUNCHING:
            raise Refused(_("This batch was launched before."))
    Batch.objects.filter(pk=batch.pk).update(next_ticket=0)
    _remove_hits(batch)
    try:
        items = queue(batch)
        hits = _make_hits(batch, items, tell)
        if not hits:
            raise Refused(_("No item of the datasets can be asked about in this task, so there is nothing to launch."))
        _open(batch, hits)
    except Lost:
        raise
    except BaseException:
        _remove_hits(batch)
        batch.move(Batch.State.DRAFT, next_ticket=0)
        raise
    return {"hits": hits, "skipped": len(items) - hits, "warnings": doubts(batch)}


def _remove_hits(batch: Batch) -> None:
    while some := list(Hit.objects.filter(batch=batch).values_list("pk", flat=True)[:500]):
        Hit.objects.filter(pk__in=some).delete()


def queue(batch: Batch) -> list[int]:
    """The chosen items' keys in the order in which they will be offered; seeded."""
    taken = _other_purpose(batch)
    chosen: list[int] = []
    singles = _one_of_each_group(batch, taken) if takes_singles(batch) else None
    for dataset in batch.datasets.order_by("slug"):
        rows = dataset.items.order_by("position").values_list("pk", "group_key")
        free = [pk for pk, group in rows if group not in taken and (singles is None or pk in singles)]
        if batch.sample is not None and batch.sample < len(free):
            free = sorted(Random(f"{batch.seed}/{dataset.slug}").sample(free, batch.sample))
        chosen += free
    Random(f"{batch.seed}/order").shuffle(chosen)
    return chosen


def takes_singles(batch: Batch) -> bool:
    """Whether the batch takes one item of each group only."""
    task = task_type(batch.task)
    return task.single(task.options(batch.options))


def _one_of_each_group(batch: Batch, taken: set[str]) -> set[int]:
    """One item of each group that is free, drawn from all datasets of the batch together."""
    members: defaultdict[str, list[int]] = defaultdict(list)
    for dataset in batch.datasets.order_by("slug"):
        for pk, group in dataset.items.order_by("position").values_list("pk", "group_key"):
            members[group].append(pk)
    rng = Random(f"{batch.seed}/singles")
    return {rng.choice(some) for group, some in members.items() if group not in taken}


def _other_purpose(batch: Batch) -> set[str]:
    """Groups that a qualification must not share with production, and the other way round."""
    if not batch.disjoint:
        return set()
    others = Hit.objects.filter(batch__project=batch.project).exclude(batch__purpose=batch.purpose)
    return set(others.values_list("group_key", flat=True))


def _make_hits(batch: Batch, items: list[int], tell: Told) -> int:
    made = 0
    for start in range(0, len(items), CHUNK):
        some = items[start : start + CHUNK]
        hits = list(hits_of(batch, some, ticket=made))
        with transaction.atomic():
            _advance(batch, made, made + len(hits))
            Hit.objects.bulk_create(hits)
        made += len(hits)
        tell(start + len(some), len(items))
    return made


def _advance(batch: Batch, made: int, to: int) -> None:
    """Count the HITs made so far in `next_ticket`, which tells two runs of one launch apart. Raises Lost."""
    ours = Batch.objects.filter(pk=batch.pk, state=Batch.State.LAUNCHING, next_ticket=made)
    if not ours.update(next_ticket=to):
        raise Lost


@transaction.atomic
def _open(batch: Batch, hits: int) -> None:
    _advance(batch, hits, hits)
    batch.move(Batch.State.OPEN, launched_at=Now(), next_ticket=hits, size=hits)


def hits_of(batch: Batch, keys: list[int], *, ticket: int) -> Iterator[Hit]:
    """Unsaved HITs of these items, in their order; without those that the task cannot ask about."""
    task = task_type(batch.task)
    options = task.options(batch.options)
    items = Item.objects.select_related("dataset").in_bulk(keys)
    for key in keys:
        item = items[key]
        rng = Random(f"{batch.seed}/{item.dataset.slug}/{item.position}")
        payload = task.prepare(item.example, options, rng)
        if payload is None:
            continue
        yield Hit(
            batch=batch,
            item=item,
            group_key=item.group_key,
            payload=payload,
            ticket=ticket,
            wanted=batch.assignments_per_hit,
        )
        ticket += 1


def discard(batch: Batch) -> bool:
    """Throw a draft away; False when it is no draft (any more)."""
    return bool(Batch.objects.filter(pk=batch.pk, state=Batch.State.DRAFT).delete()[0])


def doubts(batch: Batch) -> list[str]:
    """What cannot work with the people and items there are, as sentences for the requester."""
    people = batch.workers.filter(active=True).count() if batch.workers.exists() else able_workers(batch.project)
    items = Item.objects.filter(dataset__batches=batch)
    groups = items.values("group_key") if batch.launched_at is None else batch.hits.values("group_key")
    apart = batch.meeting == Batch.Meeting.ONE and not takes_singles(batch)
    together = largest_group(groups) if apart else 1
    return lack_of_people(people, wanted=batch.assignments_per_hit * together)


def lack_of_people(people: int, *, wanted: int) -> list[str]:
    """Says so when fewer people may work than the HITs need; else nothing."""
    if people >= wanted:
        return []
    text = ngettext(
        "Needs %(wanted)s annotator, you have %(people)s. HITs stay unfinished until more join.",
        "Needs %(wanted)s different annotators, you have %(people)s. HITs stay unfinished until more join.",
        wanted,
    )
    return [text % {"wanted": wanted, "people": people}]


def able_workers(project: Project) -> int:
    """How many people can sign in and work."""
    return project.workers.filter(active=True, user__isnull=False).count()


def largest_group(groups: QuerySet[Any, Any]) -> int:
    """How many share the most frequent group key of rows `.values("group_key")`; 1 without rows."""
    most = groups.order_by().annotate(members=Count("pk")).order_by("-members").first()
    return most["members"] if most else 1


def pause(batch: Batch) -> bool:
    """Stop giving out HITs; what is under way may be finished. False when the batch was not open."""
    return batch.move(Batch.State.PAUSED)


def resume(batch: Batch) -> bool:
    """Give out HITs again, also of a closed batch; False when it was neither paused nor closed."""
    halted = batch.state in {Batch.State.PAUSED, Batch.State.CLOSED}  # never becomes a launch under way
    return halted and batch.move(Batch.State.OPEN)


def close(batch: Batch) -> bool:
    """End the work: nothing is given out and no answer can be changed; late ones are still stored."""
    return batch.move(Batch.State.CLOSED)


def top_up(batch: Batch, *, base: int, only_disagreeing: bool = False, tell: Told = silent) -> dict[str, Any]:
    """Ask for one more annotation of each finished HIT, or of those whose answers disagree.

    `base` is the batch's next ticket when the wish was made: HITs that already have a ticket from there on
    were topped up by an earlier, interrupted run. Returns {"hits": how many now want one more}.
    """
    finished = Hit.objects.filter(batch=batch, voided_at__isnull=True, room=0, live=0, ticket__lt=base)
    keys = list(finished.order_by("ticket").values_list("pk", flat=True))
    if only_disagreeing:
        keys = [pk for pk in keys if _disagree(pk)]
    asked = 0
    for start in range(0, len(keys), CHUNK):
        asked += _ask_again(batch, finished.filter(pk__in=keys[start : start + CHUNK]))
        tell(min(start + CHUNK, len(keys)), len(keys))
    return {"hits": asked}


@transaction.atomic
def _ask_again(batch: Batch, hits: QuerySet[Hit]) -> int:
    """Give HITs one place more, and tickets beyond every cursor that a worker has by now; returns how many."""
    end = Batch.objects.select_for_update().values_list("next_ticket", flat=True).get(pk=batch.pk)
    stretch = hits.aggregate(first=Min("ticket"), last=Max("ticket"))
    if stretch["first"] is None:
        return 0
    Batch.objects.filter(pk=batch.pk).update(next_ticket=end + stretch["last"] - stretch["first"] + 1)
    return hits.update(wanted=F("wanted") + 1, ticket=F("ticket") + end - stretch["first"])


def _disagree(hit_id: int) -> bool:
    hit = Hit.objects.select_related("batch").get(pk=hit_id)
    assignments = hit.assignments.submitted().prefetch_related("answers")
    answers = [a.current.answer for a in assignments]
    return task_type(hit.batch.task).differences(hit.payload, answers) > 0


@transaction.atomic
def change_guide(batch: Batch, text: str, *, user: User | None = None) -> Guide:
    """A new version of the guide; who works on the batch must read it again. The same text changes nothing."""
    Batch.objects.select_for_update().get(pk=batch.pk)
    last = batch.guide
    if last.text == text:
        return last
    return Guide.objects.create(batch=batch, version=last.version + 1, text=text, created_by=user)


@transaction.atomic
def change_terms(batch: Batch, *, title: str, expected_seconds: int, workers: Sequence[Worker]) -> None:
    """What may change while people work: the title, the expected time, who may take more (none: everybody)."""
    Batch.objects.filter(pk=batch.pk).update(title=title, expected_seconds=expected_seconds)
    batch.workers.set(workers)
