"""One history: steps with faults and jumps of the clock, then, without faults, until everything has settled."""

from __future__ import annotations

import random
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any

from django.db import connection

from annotation import jobs
from annotation.flow.money import ledger
from annotation.flow.projects import job_queue
from annotation.marketplaces.flow import studies
from annotation.webhooks import deliveries
from tests.simulation import actors, invariants, marketplace, model_endpoint, moves, prolific, seams, world
from tests.simulation.operators import Installation
from tests.simulation.outside import Outside, resume_webhooks
from tests.simulation.planted import planted
from tests.simulation.postgresql import OnPostgreSQL
from tests.simulation.scheduler import Scheduler
from tests.simulation.turns import HOUR, Chance, Turn

SCHEDULERS = {"sqlite": Scheduler, "postgresql": OnPostgreSQL}


@dataclass
class Result:
    """`wrong` is empty where everything held."""

    history: list[str]
    turns: list[Turn]
    met: dict[str, int]
    wrong: list[str] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)


@contextmanager
def stage(seed: int, *, plant: str = "") -> Iterator[Stage]:
    """The world as each history of the seed begins, before anybody acts."""
    clock, chance = seams.Clock(), Chance(Random(seed))
    with seams.seeded(chance, clock), ExitStack() as stack:
        scheduler = SCHEDULERS[connection.vendor](chance, clock)
        stack.callback(scheduler.close)
        made = world.build(model_endpoint.Endpoint(), prolific.Panel(pays_parts=True))
        outside = Outside(scheduler, made)
        stack.enter_context(outside.doubles())
        stack.enter_context(marketplace.reached(outside, made.there))
        stack.enter_context(prolific.reached(outside, made))
        stack.enter_context(model_endpoint.reached(outside, made.models))
        marketplace.begin(made, chance)
        studies.sweep()  # which publishes the study
        prolific.begin(made, chance, partial(actors.working, made, chance))
        deliveries.deliver_due()
        installation = Installation(scheduler, made, outside)
        stack.enter_context(installation.doubles())
        stack.enter_context(planted(plant, clock))
        yield Stage(made, scheduler, outside, installation)


@dataclass
class Stage:
    """One history can be played on it."""

    made: world.World
    scheduler: Scheduler
    outside: Outside
    installation: Installation

    def play(
        self,
        steps: int,
        *,
        faults: float,
        every: int,
        closely: int = 0,
        turns: Sequence[Turn] | None = None,
        to_the_end: bool = True,
    ) -> Result:
        """So many steps, or these turns; all is looked at every so many, and after each of the last `closely`.

        `to_the_end`: then everything settles.
        """
        scheduler, made = self.scheduler, self.made
        random.seed(0)  # as Python seeds it anew in a forked process, by which waits of webhooks differed
        result = Result(scheduler.history, scheduler.turns, scheduler.met)
        for actor in [*actors.actors(made, scheduler), *self.installation.actors()]:
            scheduler.add(actor)
        scheduler.faults = faults
        moves.begin(made)
        looked = 0  # faults, when all was looked at
        for step in range(len(turns) if turns is not None else steps):
            self.step(turns[step] if turns is not None else scheduler.decide())
            faulty, tables = sum(scheduler.met.values()), scheduler.committed()
            due = (step + 1) % every == 0 or faulty > looked or step >= (len(turns) if turns else steps) - closely
            if scheduler.broken or due:
                result.wrong, looked = self.seen(), faulty
            elif tables:
                result.wrong = self.seen(tables)
            if result.wrong:
                scheduler.say_who_is_where()
                break
        else:
            result.wrong = self.end() if to_the_end else []
        scheduler.met |= self.outside.met
        result.moved = dict(made.moved)
        result.counts = {} if self.installation.is_closed() else invariants.counts()
        return result

    def step(self, turn: Turn) -> None:
        self.outside.arrive(turn)
        if turn.jump:
            self.made.set_clock()
        self.scheduler.take(turn)

    def end(self) -> list[str]:
        """Let everything settle without faults; what is wrong then, or still under way."""
        self.outside.arrive()
        self.scheduler.end()
        self.made.is_ending = True
        self.installation.finish()
        if self.installation.is_closed():
            return self.seen()
        settle(self.scheduler.clock, self.made)
        return [*self.seen(), *invariants.unsettled()]

    def seen(self, tables: set[str] | None = None) -> list[str]:
        """What is wrong now, read beside whoever has begun a transaction; looking changes nothing, not even chance."""
        broken, made = self.scheduler.broken, self.made
        made.is_quiet = not any(actor.holds for actor in self.scheduler.actors)
        found = list(self.installation.violations())
        if not self.installation.is_closed():
            with self.scheduler.looking():
                found += invariants.violations(made, tables)
        return [*(["".join(traceback.format_exception(broken))] if broken else []), *found]


def settle(clock: seams.Clock, made: world.World) -> None:
    """Let somebody put money in, time pass, and one process do what is due, until nothing is left, or for four days."""
    ledger.deposit(made.project, Decimal("1000.00"), key="for all that is due")
    resume_webhooks()
    for _hour in range(96):
        if not list(invariants.unsettled()):
            return
        clock.pass_time(HOUR)
        actors.launch_again()
        prolific.decide_unclear(made.panel)
        for act in actors.sweeps():
            act()
        while job := job_queue.take():
            job_queue.run(job, jobs.verbs())
