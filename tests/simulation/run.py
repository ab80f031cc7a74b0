"""One history: steps with faults and jumps of the clock, then, without faults, until everything has settled."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from random import Random
from typing import Any

from django.db import connection

from annotation import jobs
from annotation.flow.projects import job_queue
from tests.simulation import actors, invariants, seams, world
from tests.simulation.planted import planted
from tests.simulation.scheduler import Scheduler
from tests.simulation.turns import HOUR, Chance, Turn


@dataclass
class Result:
    """`wrong` is empty where everything held."""

    history: list[str]
    turns: list[Turn]
    met: dict[str, int]
    wrong: list[str] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)


def simulate(seed: int, steps: int, *, faults: float, every: int, plant: str = "") -> Result:
    clock, chance = seams.Clock(), Chance(Random(seed))
    with seams.seeded(chance, clock):
        scheduler = Scheduler(chance, clock)
        made = world.build()
        result = Result(scheduler.history, scheduler.turns, scheduler.met)
        with actors.outside(made, scheduler), planted(plant, clock):
            for actor in actors.actors(made, scheduler):
                scheduler.add(actor)
            scheduler.faults = faults
            for step in range(steps):
                scheduler.take(scheduler.decide())
                if scheduler.broken or (step + 1) % every == 0:
                    result.wrong = seen(made, scheduler)
                if result.wrong:
                    break
            else:
                scheduler.end()
                settle(clock)
                result.wrong = [*seen(made, scheduler), *invariants.unsettled()]
        result.counts = invariants.counts()
        scheduler.close()
    return result


def seen(made: world.World, scheduler: Scheduler) -> list[str]:
    """What is wrong now, read beside whoever has begun a transaction."""
    broken, mode = scheduler.broken, connection.transaction_mode
    connection.transaction_mode = "DEFERRED"
    found = list(invariants.violations(made))
    connection.transaction_mode = mode
    return [*(["".join(traceback.format_exception(broken))] if broken else []), *found]


def settle(clock: seams.Clock) -> None:
    """Let time pass, and one process do what is due, until nothing is left, or for four days."""
    actors.resume_webhooks()
    for _hour in range(96):
        if not list(invariants.unsettled()):
            return
        clock.pass_time(HOUR)
        for act in actors.sweeps():
            act()
        while job := job_queue.take():
            job_queue.run(job, jobs.verbs())
