"""The rows of calls: reserved before they are sent, settled after, within the ceiling of their run.

`ModelRun.spent` has what settled calls cost and what open ones may cost at most, so it is never above the ceiling.
"""

from datetime import timedelta
from decimal import ROUND_UP, Decimal

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.flow.reports.model_predictions import store_predictions
from annotation.judges.models import ModelCall, ModelRun
from annotation.models import Batch, clock
from annotation.tasktype import JSON

LEASE = timedelta(seconds=60)
CENT = Decimal("0.00000001")


class Stopped(Exception):
    """The run was paused, or another process took it over."""


class CeilingReached(Exception):
    """Another call could cost more than the run may."""


def locked(run_id: int, batch_id: int) -> ModelRun | None:
    """The run's row; None if it was deleted. Its batch is locked first, as by whoever deletes the predictions."""
    Batch.everything.select_for_update(no_key=True).filter(pk=batch_id).first()
    return ModelRun.objects.select_for_update(no_key=True).defer("secret").filter(pk=run_id).first()


def price(run: ModelRun, tokens_in: int, tokens_out: int) -> Decimal:
    """What so many tokens cost, rounded up."""
    cost = (tokens_in * run.price_in + tokens_out * run.price_out) / 1_000_000
    return cost.quantize(CENT, ROUND_UP)


def worst(run: ModelRun, size: int) -> Decimal:
    """The most that a request of so many bytes can cost: a token has at least a byte."""
    return price(run, size, run.most_tokens)


def due() -> Q:
    """Runs that no process has, and whose endpoint did not ask to wait."""
    free = Q(lease_until=None) | Q(lease_until__lte=Now())
    usable = Q(state=ModelRun.State.RUNNING, batch__removed_at=None)
    return free & (Q(not_before=None) | Q(not_before__lte=Now())) & usable


@transaction.atomic
def take(run: ModelRun, *, only: Q | None = None) -> ModelRun:
    """Take a run for this process; `only`: if it is so still. Raises Stopped.

    Calls that an earlier process left open are lost, and count at their reservation.
    """
    row = locked(run.pk, run.batch_id)
    if row is None or not ModelRun.objects.filter(only or Q(), pk=run.pk, state=ModelRun.State.RUNNING).exists():
        raise Stopped
    row.turn += 1
    row.lease_until = clock.now() + LEASE
    row.save(update_fields=["turn", "lease_until"])
    row.calls.filter(state=ModelCall.State.OPEN).update(state=ModelCall.State.LOST, ended_at=Now())
    row.batch = Batch.objects.select_related("project").get(pk=row.batch_id)
    return row


def pause(run: ModelRun, trouble: str) -> None:
    """End this process's turn with what its requester should see to."""
    own = ModelRun.objects.filter(pk=run.pk, turn=run.turn, state=ModelRun.State.RUNNING)
    own.update(state=ModelRun.State.PAUSED, trouble=trouble[:500], lease_until=None)


def renew(run: ModelRun) -> None:
    """Keep the run. Raises Stopped."""
    own = ModelRun.objects.filter(pk=run.pk, turn=run.turn, state=ModelRun.State.RUNNING, batch__removed_at=None)
    if not own.update(lease_until=Now() + LEASE):
        raise Stopped


@transaction.atomic
def reserve(run: ModelRun, item: int, sample: int, most: Decimal) -> ModelCall:
    """The row of a call that may be sent now. Raises Stopped and CeilingReached."""
    row = locked(run.pk, run.batch_id)
    if row is None or row.turn != run.turn or row.state != ModelRun.State.RUNNING:
        raise Stopped
    if row.most_calls is not None and row.calls_made >= row.most_calls:
        raise CeilingReached
    if row.most_cost is not None and row.spent + most > row.most_cost:
        raise CeilingReached
    row.calls_made += 1
    row.spent += most
    row.save(update_fields=["calls_made", "spent"])
    return ModelCall.objects.create(run=run, item_id=item, sample=sample, cost=most)


@transaction.atomic
def settle(
    call: ModelCall,
    state: str,
    *,
    cost: Decimal | None = None,
    tokens: tuple[int, int] | None = None,
    answer: JSON | None = None,
    why: str = "",
) -> bool:
    """End an open call and store its answer; without `cost` it counts at its reservation.

    False if another process counted it as lost, or its run was deleted.
    """
    row = locked(call.run_id, call.run.batch_id)
    if row is None:
        return False
    counted = call.cost if cost is None else cost
    tokens_in, tokens_out = tokens or (None, None)
    own = ModelCall.objects.filter(pk=call.pk, state=ModelCall.State.OPEN)
    columns = {"tokens_in": tokens_in, "tokens_out": tokens_out, "why": why[:500]}
    if not own.update(state=state, cost=counted, ended_at=Now(), **columns):
        return False
    row.spent += counted - call.cost
    row.failures = row.failures + 1 if state == ModelCall.State.FAILED else 0
    row.save(update_fields=["spent", "failures"])
    call.run.failures = row.failures
    if answer is not None:
        prediction = {"item": call.item_id, "run": call.sample + 1, "answer": answer, "cost": counted}
        store_predictions(call.run.batch, row.name, [prediction], asked=True)
    return True
