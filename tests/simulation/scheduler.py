"""Actors are threads that pass on one baton at each statement, commit and call to the outside."""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random
from typing import Any

from django.db import OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tests.simulation.seams import Clock, prepare

Act = Callable[[], str]
DIES, REFUSED = "dies", "is refused by the database"


class Died(BaseException):
    """The process of an actor is gone: its transaction is rolled back, its memory forgotten."""


class Actor:
    """Somebody who acts again and again; `choose` gives the next act, `weight` is how often it is their turn."""

    def __init__(self, name: str, choose: Callable[[], tuple[str, Act]], *, weight: float = 1.0) -> None:
        self.name, self.choose, self.weight = name, choose, weight
        self.turn = threading.Semaphore(0)
        self.at, self.act, self.fault = "", "", ""
        self.holds = self.waits = self.dead = self.idle = False


class Scheduler:
    """Decides who goes on, and which fault befalls them. `history` has a sentence for each act."""

    def __init__(self, chance: Random, clock: Clock) -> None:
        self.chance, self.clock = chance, clock
        self.actors: list[Actor] = []
        self.history: list[str] = []
        self.steps, self.faults, self.ending = 0, 0.0, False
        self.current: Actor | None = None
        self.met: dict[str, int] = {}
        self.broken: BaseException | None = None
        self._back = threading.Semaphore(0)
        connection_created.connect(self._connected, weak=False)
        self._commit = BaseDatabaseWrapper._commit
        scheduler = self

        def commit(wrapper: Any) -> Any:
            scheduler.pause("COMMIT")
            result = scheduler._commit(wrapper)
            scheduler.pause("after COMMIT")
            return result

        BaseDatabaseWrapper._commit = commit  # type: ignore[method-assign]

    def close(self) -> None:
        BaseDatabaseWrapper._commit = self._commit  # type: ignore[method-assign]
        connection_created.disconnect(self._connected)

    def _connected(self, connection: Any, **_: Any) -> None:
        prepare(connection.connection, self.clock)
        connection.execute_wrappers.append(self._statement)

    def _statement(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        actor = self._here()
        while actor is not None:
            self.pause(sql.split(" ", 1)[0].upper())
            try:
                return execute(sql, *rest)
            except OperationalError as busy:
                if "locked" not in str(busy) or actor.holds:
                    raise
                actor.waits = True  # until nobody has begun a transaction that writes
        return execute(sql, *rest)

    def _here(self) -> Actor | None:
        return self.current if self.current and threading.current_thread().name == self.current.name else None

    def pause(self, at: str) -> None:
        """Pass the baton on; goes on when it is this actor's turn again, or with a fault."""
        actor = self._here()
        if actor is None:
            return
        if actor.dead:
            raise Died
        raw = connection.connection
        actor.holds = raw is not None and raw.in_transaction
        actor.at = at
        self._back.release()
        actor.turn.acquire()
        if actor.dead:
            raise Died
        if actor.fault == REFUSED:
            actor.fault = ""
            raise OperationalError("disk I/O error (simulated)")

    def add(self, actor: Actor) -> None:
        self.actors.append(actor)
        threading.Thread(target=self._live, args=[actor], name=actor.name, daemon=True).start()

    def _live(self, actor: Actor) -> None:
        actor.turn.acquire()
        while not self.ending:
            actor.act, act = "", None
            try:
                actor.act, act = actor.choose()
                self.note(f"{actor.name} {actor.act}: {act()}")
            except Died:
                self.note(f"{actor.name} {DIES} in “{actor.act}” at {actor.at}")
            except OperationalError as refused:
                if "simulated" not in str(refused):
                    self.broken = refused
                self.note(f"{actor.name} {REFUSED} in “{actor.act}” at {actor.at}")
            except BaseException as broken:
                self.broken = broken
                self.note(f"{actor.name} breaks in “{actor.act}”: {broken!r}")
            finally:
                if actor.dead:
                    connections.close_all()
            actor.dead = actor.holds = actor.waits = False
            actor.idle, actor.at = True, "between acts"
            self._back.release()
            actor.turn.acquire()
            actor.idle = False
        connections.close_all()
        self._back.release()

    def note(self, sentence: str) -> None:
        self.history.append(f"{self.steps} {self.clock.wall:%d %H:%M:%S.%f} {sentence}")

    def step(self) -> Actor:
        """One turn of one actor who can go on."""
        locked = {actor.name for actor in self.actors if actor.holds}
        able = [actor for actor in self.actors if not actor.waits or not locked - {actor.name}]
        actor = self.chance.choices(able, [one.weight for one in able])[0]
        actor.waits = False
        self.steps += 1
        self.clock.pass_time(self.chance.random() * 0.2)
        if self.faults and not actor.idle and self.chance.random() < self.faults:
            actor.fault = self.chance.choice([DIES, REFUSED])
            actor.dead = actor.fault == DIES
            if actor.at == "after COMMIT":  # a database does not refuse what is done
                actor.fault, actor.dead = DIES, True
            kind = f"{actor.fault} at {actor.at}"
            self.met[kind] = self.met.get(kind, 0) + 1
        self.give(actor)
        return actor

    def give(self, actor: Actor) -> None:
        self.current = actor
        actor.turn.release()
        self._back.acquire()
        self.current = None

    def settle(self) -> None:
        """Let every act under way come to its end, without faults."""
        self.faults = 0.0
        for _turn in range(100_000):
            if all(actor.idle or not actor.at for actor in self.actors):
                return
            locked = {actor.name for actor in self.actors if actor.holds}
            able = [a for a in self.actors if not a.idle and a.at and (not a.waits or not locked - {a.name})]
            actor = self.chance.choice(able)
            actor.waits = False
            self.give(actor)
        raise AssertionError("an act never ends")

    def end(self) -> None:
        self.settle()
        self.ending = True
        for actor in self.actors:
            self.give(actor)
