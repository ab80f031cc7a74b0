"""Drawing a worker's arm of an experiment, or the order of its arms, and opening one arm after the other.

A draw locks the experiment, before all other rows (docs/architecture.md, "Locks"). Callers check `Batch.experiment_id`
first, so that other batches make no query.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from annotation.flow.batches import workers_needed
from annotation.models import ArmDraw, Assignment, Batch, Experiment, Participation, Worker, WorkerBlock, clock
from annotation.models.assignment import random_seed
from annotation.models.compiled import compiled
from annotation.pure.batches import arm_draw, lifecycle
from annotation.pure.batches.arm_draw import Drawn
from annotation.recruitment import marketplaces

BETWEEN = timedelta(hours=1)  # without a HIT, after which a worker who began counts as having left


@compiled
def _turn(worker: int, batch: int) -> QuerySet[ArmDraw, tuple[int]]:
    return ArmDraw.objects.filter(worker=worker, arm=batch).values_list("pk")


def is_turn(worker: int, arm: int) -> bool:
    """Whether this arm is open to the worker."""
    return bool(_turn(worker, arm))


def has_reached(worker: Worker, batch: Batch) -> bool:
    """Whether an arm is open to the worker, or was."""
    draw = ArmDraw.objects.filter(experiment=batch.experiment_id, worker=worker).first()
    return draw is not None and batch.pk in draw.order[: draw.position]


def arms_of(experiment: Experiment) -> list[Batch]:
    """The arms in the order of their numbers, those in the bin among them."""
    return list(Batch.everything.filter(experiment=experiment).select_related("project").order_by("pk"))


def current_arm(worker: Worker, experiment: Experiment) -> Batch | None:
    """The arm that is open to the worker; None before they drew."""
    arms = Batch.objects.filter(experiment=experiment, drawn__worker=worker).select_related("project")
    return arms.first()


def begin(worker: Worker, experiment: Experiment) -> Batch | None:
    """The worker's arm, drawn now if it was not before; None where they cannot begin."""
    found = current_arm(worker, experiment)
    if found is not None or not may_begin(worker, experiment):
        return found
    with transaction.atomic():
        # Lock: of several who begin at once each sees what the others drew.
        Experiment.objects.select_for_update(no_key=True).get(pk=experiment.pk)
        if not ArmDraw.objects.filter(experiment=experiment, worker=worker).exists():
            _draw(worker, experiment)
    return current_arm(worker, experiment)


def may_begin(worker: Worker | None, experiment: Experiment) -> bool:
    """Whether a worker (None: a newcomer) may draw: all arms are launched, none is paused, and there is work.

    What only some arms require is not looked at: who draws an arm that excludes them gets none.
    """
    arms = arms_of(experiment)
    if worker is not None and not _may_work(worker, arms):
        return False
    unready = {Batch.State.DRAFT, Batch.State.LAUNCHING, Batch.State.PAUSED}
    return not any(arm.state in unready for arm in arms) and bool(_with_work(arms))


def _may_work(worker: Worker, arms: Sequence[Batch]) -> bool:
    if not worker.active or not worker.consented or WorkerBlock.objects.filter(worker=worker).exists():
        return False
    elsewhere = [arm for arm in arms if arm.on_marketplace and worker.user_id]
    return not elsewhere or marketplaces().admits(worker, elsewhere[0])


def _with_work(arms: Sequence[Batch]) -> list[int]:
    """The numbers of the open arms with HITs that ask for somebody."""
    rows = Batch.objects.filter(pk__in=[arm.pk for arm in arms], state=Batch.State.OPEN)
    there = workers_needed.with_open_hits(rows)
    return [number for number, arm in enumerate(arms) if arm in there]


def _draw(worker: Worker, experiment: Experiment) -> None:
    arms, seed = arms_of(experiment), random_seed()
    if experiment.each == Experiment.Each.ORDER:
        orders = arm_draw.latin_square(len(arms))
    else:
        orders = [(number,) for number in _with_work(arms)]
    if orders:
        keys = [arms[number].pk for number in arm_draw.draw(orders, drawn_before(experiment, arms), seed)]
        ArmDraw.objects.create(experiment=experiment, worker=worker, order=keys, arm_id=keys[0], seed=seed)


def drawn_before(experiment: Experiment, arms: Sequence[Batch]) -> list[Drawn]:
    """All draws of an experiment with these arms, by their numbers."""
    number = {arm.pk: k for k, arm in enumerate(arms)}
    under_way = Assignment.objects.filter(worker=OuterRef("worker"), batch=OuterRef("batch"))
    under_way = under_way.filter(state=lifecycle.ACCEPTED, lease_until__gt=Now())
    rows = Participation.objects.filter(batch__in=number, worker__arm_draws__experiment=experiment).order_by()
    submitted: dict[int, set[int]] = {}
    busy, lately = set(), clock.now() - BETWEEN
    for who, batch, done, worked_at, has_one in rows.values_list(
        "worker", "batch", "done", "worked_at", Exists(under_way)
    ):
        if done:
            submitted.setdefault(who, set()).add(number[batch])
        if has_one or (worked_at and worked_at > lately):
            busy.add(who)
    busy |= set(experiment.draws.filter(created_at__gt=lately).values_list("worker", flat=True))
    return [
        Drawn(tuple(number[key] for key in keys), submitted.get(who, ()), who in busy)
        for who, keys in experiment.draws.order_by("pk").values_list("worker", "order")
    ]


def shown_once(batches: Iterable[Batch], workers: Iterable[Worker]) -> dict[int, tuple[bool, list[int]]]:
    """What one line of a person's list stands for, by experiment of these batches; no query without any.

    (whether all these arms are for them, keys of arms): what they drew, from the open arm on; before, all arms, or none
    where nobody can begin.
    """
    wanted = {batch.experiment_id for batch in batches if batch.experiment_id is not None}
    if not wanted:
        return {}
    draws = ArmDraw.objects.filter(experiment__in=wanted, worker__in=list(workers))
    found = {draw.experiment_id: (True, draw.order[draw.position - 1 :]) for draw in draws}
    for experiment in Experiment.objects.filter(pk__in=wanted - found.keys()):
        arms = [arm.pk for arm in arms_of(experiment)] if may_begin(None, experiment) else []
        found[experiment.pk] = experiment.each == Experiment.Each.ORDER, arms
    return found


def common_terms(arms: Sequence[Any]) -> dict[str, Any]:
    """Rewards and missing requirements in one line for several arms; the first keeps a description that all share."""
    if any(arm.batch.description != arms[0].batch.description for arm in arms):
        arms[0].batch.description = ""
    rewards = [arm.rewards for arm in arms if arm.rewards]
    ends = (min(low for low, _high in rewards), max(high for _low, high in rewards)) if rewards else None
    return {"rewards": ends, "missing": min((arm.missing for arm in arms), key=len)}


def next_arm(worker: Worker, batch: Batch) -> Batch | None:
    """Open the arm after this one, in which nothing is left for the worker; None if there is none.

    An arm that is paused is waited for, and so is the end of a visit that may have no more HITs.
    """
    if batch.state not in {Batch.State.OPEN, Batch.State.CLOSED}:
        return None
    if batch.on_marketplace and not marketplaces().may_take(worker, batch):
        return None
    draw = ArmDraw.objects.filter(experiment=batch.experiment_id, worker=worker).first()
    if draw is None:
        return None
    later = draw.order[draw.order.index(batch.pk) + 1 :]
    if draw.arm_id == batch.pk and later:
        there = Batch.objects.in_bulk(later)
        for key in filter(there.__contains__, later):
            # another request of theirs may have been faster
            ArmDraw.objects.filter(pk=draw.pk, arm=batch).update(arm=key)
            break
        draw.refresh_from_db(fields=["arm"])
    return None if draw.arm_id == batch.pk else current_arm(worker, draw.experiment)
