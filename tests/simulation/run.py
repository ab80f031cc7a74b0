"""One history: steps with faults and jumps of the clock, then, without faults, until everything has settled."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field
from random import Random
from typing import Any

from django.db import connection

from annotation import jobs
from annotation.flow.projects import job_queue
from tests.simulation import actors, invariants, marketplace, moves, seams, world
from tests.simulation.outside import Outside
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
    moved: dict[str, int] = field(default_factory=dict)


def simulate(seed: int, steps: int, *, faults: float, every: int, plant: str = "") -> Result:
    clock, chance = seams.Clock(), Chance(Random(seed))
    with seams.seeded(chance, clock):
        scheduler = Scheduler(chance, clock)
        made = world.build()
        result = Result(scheduler.history, scheduler.turns, scheduler.met)
        outside = Outside(scheduler, made)
        with outside.doubles(), marketplace.reached(outside, made.there), planted(plant, clock):
            for actor in actors.actors(made, scheduler):
                scheduler.add(actor)
            scheduler.faults = faults
            moves.begin(made)
            looked = 0  # faults, when all was looked at
            for step in range(steps):
                turn = scheduler.decide()
                outside.arrive(turn)
                if turn.jump:
                    made.set_clock()
                scheduler.take(turn)
                faulty = sum(scheduler.met.values())
                if scheduler.broken or (step + 1) % every == 0 or faulty > looked:
                    result.wrong, looked = seen(made, scheduler), faulty
                elif scheduler.touched and not any(actor.holds for actor in scheduler.actors):
                    result.wrong = seen(made, scheduler, scheduler.touched)
                if result.wrong:
                    break
            else:
                outside.arrive()
                scheduler.end()
                made.is_ending = True
                settle(clock)
                result.wrong = [*seen(made, scheduler), *invariants.unsettled()]
        scheduler.met |= outside.met
        result.counts, result.moved = invariants.counts(), dict(made.moved)
        scheduler.close()
    return result


def seen(made: world.World, scheduler: Scheduler, tables: set[str] | None = None) -> list[str]:
    """What is wrong now, read beside whoever has begun a transaction; looking changes nothing, not even chance."""
    broken, mode, chance = scheduler.broken, connection.transaction_mode, scheduler.chance
    made.is_quiet = not any(actor.holds for actor in scheduler.actors)
    connection.transaction_mode, chance.source = "DEFERRED", Random(0)
    found = list(invariants.violations(made, tables))
    connection.transaction_mode, chance.source = mode, chance.own
    if made.is_quiet:
        scheduler.touched.clear()
    return [*(["".join(traceback.format_exception(broken))] if broken else []), *found]


def settle(clock: seams.Clock) -> None:
    """Let time pass, and one process do what is due, until nothing is left, or for four days."""
    actors.resume_webhooks()
    for _hour in range(96):
        if not list(invariants.unsettled()):
            return
        clock.pass_time(HOUR)
        actors.launch_again()
        for act in actors.sweeps():
            act()
        while job := job_queue.take():
            job_queue.run(job, jobs.verbs())
