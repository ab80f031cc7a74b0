"""Faults to plant in the product, one at a time: a simulation that finds none of them proves nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Mod
from django.db.models.lookups import Exact

from annotation.flow.money import ledger
from annotation.flow.notifications import safe_http
from annotation.flow.projects import job_queue
from annotation.flow.work import leases, next_assignment, open_work, submissions
from annotation.marketplaces.flow import bonuses, hit_terms
from annotation.models import Assignment, Hit, Job, Participation
from annotation.operations import database_dump
from annotation.pure.batches import lifecycle
from annotation.webhooks import deliveries
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
    """A HIT is chosen before the claim's transaction, and its place taken whether there still is one or not."""
    claim, candidates = next_assignment.claim, open_work.candidates
    chosen: dict[int, list[open_work.Candidate]] = {}

    def choose_and_claim(participation: Participation, **how: Any) -> Assignment | None:
        chosen[participation.pk] = list(candidates(participation))
        return claim(participation, **how)

    def known(participation: Participation, *, ahead: bool = False) -> Iterator[open_work.Candidate]:
        # who only asks what is left has chosen none
        mine = None if ahead else chosen.pop(participation.pk, None)
        return candidates(participation, ahead=ahead) if mine is None else iter(mine)

    def take_slot(hit: int, batch: int) -> int:
        return Hit.objects.filter(pk=hit, batch=batch).update(live=F("live") + 1)

    return [
        mock.patch.object(next_assignment, "claim", choose_and_claim),
        mock.patch.object(open_work, "candidates", known),
        mock.patch.object(next_assignment, "take_slot", take_slot),
    ]


def submit_without_key(_clock: Clock) -> list[Any]:
    """A form that is sent twice is a new response."""
    submit = submissions.submit

    def anew(row: Assignment, answer: Any, *, key: str, base: int, **more: Any) -> Any:
        row.refresh_from_db(fields=["revision"])
        return submit(row, answer, key=f"{key[:40]}-{next(numbers)}", base=row.revision, **more)

    return [mock.patch.object(submissions, "submit", anew)]


def payment_without_fence(_clock: Clock) -> list[Any]:
    """Each attempt to pay a bonus on the marketplace has another token."""
    token_for = hit_terms.token_for

    def another(purpose: str, *parts: Any) -> str:
        return token_for(purpose, *parts, *([next(numbers)] if purpose == "bonus" else []))

    return [mock.patch.object(hit_terms, "token_for", another)]


def bonus_called_again(_clock: Clock) -> list[Any]:
    """A payment of bonuses on Prolific is called again whenever its reply got lost."""
    return [mock.patch.object(bonuses, "may_call_again", return_value=True)]


def prefetched_not_released(_clock: Clock) -> list[Any]:
    """Nobody frees the places of HITs that were held too long."""
    return [mock.patch.object(next_assignment, "let_go", return_value=0)]


def leases_passed_over(_clock: Clock) -> list[Any]:
    """Sweeps never end every other lease."""
    ended = leases.overdue().exclude(Exact(Mod(F("pk"), 2), 0))
    return [mock.patch.object(leases, "overdue", ended.all)]


def webhook_before_commit(_clock: Clock) -> list[Any]:
    """An event is sent as it is written."""
    write = deliveries.write

    def at_once(*args: Any, **more: Any) -> Any:
        made = write(*args, **more)
        safe_http.send("", b"", {"webhook-id": made.public_id})
        return made

    return [mock.patch.object(deliveries, "write", at_once)]


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

    def go_on(progress: job_queue.JobProgress, done: int, total: int) -> None:
        Job.objects.filter(pk=progress.job.pk).update(done=done, total=total)

    return [mock.patch.object(Job, "finish", finish), mock.patch.object(job_queue.JobProgress, "__call__", go_on)]


def entry_without_balances(_clock: Clock) -> list[Any]:
    """A transfer is noted, but the accounts are not."""

    def noted(entry: Any) -> Any:
        entry.save()
        return entry

    return [mock.patch.object(ledger, "transfer", noted)]


def restore_in_parts(_clock: Clock) -> list[Any]:
    """A copy is loaded in a transaction for each table."""

    def load(file: Path, target: Path) -> None:
        with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(target)) as into:
            script = "\n".join(source.iterdump()).removeprefix("BEGIN TRANSACTION;").removesuffix("COMMIT;")
            for part in script.split("\nCREATE TABLE ")[1:]:
                name = part.split(maxsplit=1)[0]
                into.executescript(f"BEGIN; DROP TABLE IF EXISTS {name}; CREATE TABLE {part} COMMIT;")
                transaction.get_connection().cursor().execute("SELECT 1")  # where others go on, or it dies

    return [mock.patch.object(database_dump, "_load_sqlite", load)]


PLANTS: dict[str, Callable[[Clock], list[Any]]] = {
    "claim without guard": claim_without_guard,
    "submit without key": submit_without_key,
    "payment without fence": payment_without_fence,
    "bonus called again": bonus_called_again,
    "prefetched HIT not released": prefetched_not_released,
    "leases passed over": leases_passed_over,
    "webhook before commit": webhook_before_commit,
    "own clock in a comparison": own_clock,
    "paused job's work taken": job_without_fence,
    "entry without balances": entry_without_balances,
    "restore that is not atomic": restore_in_parts,
}
