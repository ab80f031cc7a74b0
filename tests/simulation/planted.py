"""Faults to plant in the product, one at a time: a simulation that finds none of them proves nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import count
from typing import Any
from unittest import mock

from django.db.models import F, QuerySet

from annotation.flow.money import ledger
from annotation.flow.notifications import safe_http
from annotation.flow.review import assignment_approval
from annotation.flow.work import leases, next_assignment, submissions
from annotation.models import Assignment, Hit, Job, Payment
from annotation.pure.batches import lifecycle
from annotation.webhooks import outbox
from tests.simulation.seams import START, Clock

numbers = count(1)


@contextmanager
def planted(name: str, clock: Clock) -> Iterator[None]:
    """Let the product have this fault; "" is none."""
    with ExitStack() as stack:
        for patch in PLANTS[name](clock) if name else []:
            stack.enter_context(patch)
        yield


def claim_without_guard(_clock: Clock) -> list[Any]:
    """The place of a HIT is taken whether there is one or not, and outside of the claim's transaction."""

    def take_slot(hit: int, batch: int) -> int:
        return Hit.objects.filter(pk=hit, batch=batch).update(live=F("live") + 1)

    bare = next_assignment._under_way_or_next.__wrapped__  # type: ignore[attr-defined]
    return [
        mock.patch.object(next_assignment, "take_slot", take_slot),
        mock.patch.object(next_assignment, "_under_way_or_next", bare),
    ]


def submit_without_key(_clock: Clock) -> list[Any]:
    """A form that is sent twice is a new response."""
    submit = submissions.submit

    def anew(row: Assignment, answer: Any, *, key: str, base: int, **more: Any) -> Any:
        row.refresh_from_db(fields=["revision"])
        return submit(row, answer, key=f"{key[:40]}-{next(numbers)}", base=row.revision, **more)

    return [mock.patch.object(submissions, "submit", anew)]


def payment_without_fence(_clock: Clock) -> list[Any]:
    """Each call of a payment is another payment."""
    add = assignment_approval.add_payment

    def again(row: Assignment, kind: str, amount: Any, *, key: str, **more: Any) -> Payment:
        return add(row, kind, amount, key=f"{key}-{next(numbers)}", **more)

    return [mock.patch.object(assignment_approval, "add_payment", again)]


def prefetched_not_released(_clock: Clock) -> list[Any]:
    """Nobody frees the places of HITs that were held too long."""
    return [mock.patch.object(next_assignment, "let_go", return_value=0)]


def webhook_before_commit(_clock: Clock) -> list[Any]:
    """An event is sent as it is written."""
    write = outbox.write

    def at_once(*args: Any, **more: Any) -> Any:
        made = write(*args, **more)
        safe_http.send("", b"", {"webhook-id": made.public_id})
        return made

    return [mock.patch.object(outbox, "write", at_once)]


def own_clock(clock: Clock) -> list[Any]:
    """A lease is compared with the time that this process has counted, not with the database's."""

    def overdue() -> QuerySet[Assignment]:
        now = START + timedelta(seconds=clock.monotonic - 1000.0)
        return Assignment.objects.filter(state=lifecycle.ACCEPTED, lease_until__lt=now)

    def give_back(row: Assignment, *, to: str = lifecycle.RETURNED, only_if_over: bool = False) -> bool:
        return back(row, to=to)

    back = leases.return_assignment
    return [
        mock.patch.object(leases, "overdue", overdue),
        mock.patch.object(leases, "return_assignment", give_back),
    ]


def job_without_fence(_clock: Clock) -> list[Any]:
    """A job whose run is only paused is taken, and both runs end it."""

    def finish(job: Job, state: str, **more: Any) -> bool:
        return bool(Job.objects.filter(pk=job.pk).update(state=state, **more))

    return [mock.patch.object(Job, "finish", finish)]


def entry_without_balances(_clock: Clock) -> list[Any]:
    """A transfer is noted, but the accounts are not."""

    def noted(entry: Any) -> Any:
        entry.save()
        return entry

    return [mock.patch.object(ledger, "transfer", noted)]


PLANTS: dict[str, Callable[[Clock], list[Any]]] = {
    "claim without guard": claim_without_guard,
    "submit without key": submit_without_key,
    "payment without fence": payment_without_fence,
    "prefetched HIT not released": prefetched_not_released,
    "webhook before commit": webhook_before_commit,
    "own clock in a comparison": own_clock,
    "paused job's work taken": job_without_fence,
    "entry without balances": entry_without_balances,
}
