"""Actors are threads that pass on one baton at each statement, commit and call to the outside."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.db.transaction import TransactionManagementError

from annotation.operations import unfinished
from tests.simulation import seams
from tests.simulation.seams import Clock
from tests.simulation.turns import (
    CUT,
    DIES,
    FAULT_WEIGHTS,
    FAULTS,
    FILLS_UP,
    JUMPING,
    JUMPS,
    LULL,
    LULLING,
    REFUSED,
    SEEKING,
    SEEKING_AT_CALLS,
    SLEEPS,
    VANISHES,
    WITH_FILES,
    WITH_LEASES,
    Chance,
    Turn,
)

Act = Callable[[], str]
DONE = "after COMMIT"
NOTHING, BREAK = {"there is none", "nothing is due", "none", "0"}, 60  # steps for which who had nothing to do waits
WRITES = {"INSERT", "UPDATE", "DELETE", "COMMIT"}
WRITTEN = re.compile(r'(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM) "(\w+)"')
NEW_FILES = {"open", "os.mkdir", "os.link", "copying a piece"}
STATEMENTS = WRITES | {"SELECT", "BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK"}


class Died(BaseException):
    """The process of an actor is gone: its transaction is rolled back, its memory forgotten."""


def baton() -> threading.Lock:
    """A lock that somebody has and another thread releases: a semaphore of Python's costs more."""
    made = threading.Lock()
    made.acquire()
    return made


class Actor:
    """Somebody who acts again and again; `choose` gives the next act.

    `weight`: how often it is their turn; `luckless`: how much more often something breaks then.
    """

    def __init__(
        self, name: str, choose: Callable[[], tuple[str, Act]], *, weight: float = 1.0, luckless: float = 1.0
    ) -> None:
        self.name, self.choose, self.weight, self.luckless = name, choose, weight, luckless
        self.turn = baton()
        self.at, self.act, self.fault = "", "", ""
        self.chance, self.asleep_until = Random(0), 0
        self.touched: set[str] = set()  # models whose rows it has written since the last look
        self.holds = self.waits = self.dead = self.idle = False
        self.operates = False  # whether it runs the installation, and goes on while the services are stopped
        self.has_files = False  # whether it passes on the baton at files, too
        self.struck = False  # by a fault whose errors are the database's own


class Scheduler:
    """Decides who goes on, and which fault befalls them. `history` has a sentence for each act."""

    def __init__(self, chance: Chance, clock: Clock) -> None:
        self.chance, self.clock = chance, clock
        self.actors: list[Actor] = []
        self.history: list[str] = []
        self.turns: list[Turn] = []
        self.models = {model._meta.db_table: str(model._meta.model_name) for model in apps.get_models()}
        self.outage, self.outage_until = "", 0  # one of the whole database, and the step at which it ends
        self.steps, self.faults, self.ending = 0, 0.0, False
        self.cuts = False  # whether waits are cancelled and connections cut, on PostgreSQL
        self.stopped = False  # the services: all but who runs the installation
        self.connected: set[str] = set()  # who has a connection
        self.current: Actor | None = None
        self.met: dict[str, int] = {}
        self.broken: BaseException | None = None
        self._back = baton()
        connection_created.connect(self._connected, weak=False)
        self._commit = BaseDatabaseWrapper._commit
        scheduler = self

        def commit(wrapper: Any) -> Any:
            try:
                scheduler.pause("COMMIT")
            except Died:
                wrapper.connection.rollback()
                raise
            result = scheduler.ask(lambda: scheduler._commit(wrapper))
            scheduler.pause("after COMMIT")
            return result

        BaseDatabaseWrapper._commit = commit  # type: ignore[method-assign]

    def close(self) -> None:
        BaseDatabaseWrapper._commit = self._commit  # type: ignore[method-assign]
        connection_created.disconnect(self._connected)

    def _connected(self, connection: Any, **_: Any) -> None:
        self.prepare(connection.connection)
        self.connected.add(threading.current_thread().name)
        if self._statement not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._statement)

    def prepare(self, raw: Any) -> None:
        """Give a new connection this clock."""
        seams.prepare(raw, self.clock)

    def _statement(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        actor = self._here()
        while actor is not None:
            self.begin(sql)
            try:
                return execute(sql, *rest)
            except OperationalError as busy:
                if "locked" not in str(busy) or actor.holds:
                    raise
                actor.waits = True  # until nobody has begun a transaction that writes
        return execute(sql, *rest)

    def begin(self, sql: str) -> None:
        """Wait for the turn to run a statement, and note what it will write."""
        self.pause(sql.split(" ", 1)[0].upper())
        if self.current and (written := WRITTEN.match(sql)) and written[1] in self.models:
            self.current.touched.add(self.models[written[1]])

    def committed(self) -> set[str]:
        """Models whose rows were committed since this was last asked."""
        found: set[str] = set()
        for actor in self.actors:
            if actor.touched and not actor.holds and not actor.waits:
                found |= actor.touched
                actor.touched.clear()
        return found

    def ask(self, act: Callable[[], Any]) -> Any:
        """What the database replies to something else than a statement."""
        return act()

    def has_begun(self, raw: Any) -> bool:
        """Whether the connection has a transaction."""
        return bool(raw.in_transaction)

    def hang_up(self) -> None:
        """Close the connection of this thread."""
        for own in connections.all(initialized_only=True):
            own.close()
            del connections[own.alias]  # with a transaction that a death left open
        self.connected.discard(threading.current_thread().name)

    @contextmanager
    def own_database(self) -> Iterator[None]:
        """A copy of the database and a home for this process, which has no connection; they are gone afterwards."""
        before = Path(connection.settings_dict["NAME"])
        own = before.with_name(f"home-{os.getpid()}")
        own.mkdir()
        shutil.copy(before, own)
        connection.settings_dict["NAME"] = str(own / before.name)
        settings.VAR, settings.MEDIA_ROOT, tempfile.tempdir = own, own / "uploads", str(own)
        try:
            yield
        finally:
            shutil.rmtree(own)

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Read beside whoever has begun a transaction; looking changes nothing, not even chance."""
        mode, self.chance.source = connection.transaction_mode, Random(0)
        connection.transaction_mode = "DEFERRED"
        yield
        connection.transaction_mode, self.chance.source = mode, self.chance.own

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
        actor.holds = raw is not None and self.has_begun(raw)
        actor.at = at
        self._back.release()
        self.resume(actor)
        self._refuse(actor, at)

    def resume(self, actor: Actor) -> None:
        """Go on when it is this actor's turn again."""
        actor.turn.acquire()
        if actor.dead:
            raise Died

    def _refuse(self, actor: Actor, at: str) -> None:
        fault, actor.fault = actor.fault, ""
        if at == "ROLLBACK" and (fault == REFUSED or self.steps < self.outage_until):
            actor.struck = True  # Django says of what comes after it only that the transaction is broken
        if fault == REFUSED or (fault == CUT and at == DONE):  # done, without a reply
            raise OperationalError("disk I/O error (simulated)")
        outage = self.outage if self.steps < self.outage_until else ""
        if outage == FILLS_UP and at in NEW_FILES:
            raise OSError(errno.ENOSPC, "no space left on device (simulated)")
        if outage == FILLS_UP and at in WRITES:
            raise OperationalError("database or disk is full (simulated)")
        if outage == VANISHES and at in {*STATEMENTS, DONE}:  # what it did last may be done, without a reply
            raise OperationalError("unable to open database file (simulated)")

    def add(self, actor: Actor) -> None:
        self.actors.append(actor)
        threading.Thread(target=self._live, args=[actor], name=actor.name, daemon=True).start()

    def _live(self, actor: Actor) -> None:
        actor.turn.acquire()
        while actor.at != "end":
            actor.act, act = "", None
            try:
                if actor.dead:
                    raise Died
                actor.act, act = actor.choose()
                came = act()
                self.note(f"{actor.name} {actor.act}: {came}")
                if came in NOTHING:
                    actor.asleep_until = self.steps + BREAK
            except Died:
                self.note(f"{actor.name} {DIES} in “{actor.act}” at {actor.at}")
            except (OperationalError, InterfaceError, TransactionManagementError) as refused:
                closed = isinstance(refused, unfinished.Unfinished) or unfinished.begun()
                if "simulated" not in str(refused) and not actor.struck and not closed:
                    self.broken = refused
                self.note(f"{actor.name} {REFUSED} in “{actor.act}” at {actor.at}")
            except BaseException as broken:
                self.broken = broken
                self.note(f"{actor.name} breaks in “{actor.act}”: {broken!r}")
            finally:
                if actor.dead or actor.struck or self.steps < self.outage_until:
                    self.hang_up()
            actor.dead = actor.holds = actor.waits = actor.struck = False
            actor.idle, actor.at = True, "between acts"
            self._back.release()
            actor.turn.acquire()
            actor.idle = False
        self.hang_up()
        self._back.release()

    def note(self, sentence: str) -> None:
        self.history.append(f"{self.steps} {self.clock.wall:%d %H:%M:%S.%f} {sentence}")

    def say_who_is_where(self) -> None:
        for actor in self.actors:
            if actor.act and not actor.idle and any(turn.actor == actor.name for turn in self.turns):
                self.note(f"{actor.name} is in “{actor.act}” at {actor.at}")

    def able(self) -> list[Actor]:
        """Who can go on: neither asleep nor waiting for somebody's lock."""
        locked = {actor.name for actor in self.actors if actor.holds}
        up = [actor for actor in self.actors if actor.operates or not self.stopped]
        awake = [actor for actor in up if self.ending or self.stopped or actor.asleep_until <= self.steps]
        return [actor for actor in awake if not actor.waits or not locked - {actor.name}]

    def decide(self) -> Turn:
        able, chance = self.able(), self.chance
        weights = [one.weight if one.idle or not one.at else max(one.weight, 1.0) for one in able]
        actor = chance.choices(able, weights)[0]
        fault, jump = "", 0.0
        if self.faults and chance.random() < JUMPING:
            jump = chance.choice(JUMPS)
        if self.faults and not actor.idle and actor.at:
            new = [] if actor.has_files else self.unmet(actor)  # whose commands should come to their ends, too
            seeking = 1 if not new else SEEKING if actor.at in STATEMENTS else SEEKING_AT_CALLS
            if chance.random() < self.faults * actor.luckless * seeking:
                weights = WITH_FILES if actor.has_files else WITH_LEASES if actor.luckless > 1 else FAULT_WEIGHTS
                fault = chance.choice(new) if new else chance.choices(FAULTS, weights)[0]
        seconds = chance.random() * (LULL if chance.random() < LULLING else 0.2)
        return Turn(actor.name, round(seconds, 3), chance.getrandbits(32), fault, jump)

    def take(self, turn: Turn) -> None:
        """Let it be as decided; the turn of somebody who cannot go on, in a shortened history, is left out."""
        self.steps += 1
        self.turns.append(turn)
        if turn.jump:
            self.note(f"the clock is set by {turn.jump} s")
            self.clock.jump(turn.jump)
        self.clock.pass_time(turn.seconds)
        actor = next((one for one in self.able() if one.name == turn.actor), None)
        if actor is None:
            return
        if actor.idle or not actor.at:
            actor.chance = Random(turn.seed)
        elif turn.fault and not self._befall(actor, turn):
            return
        actor.waits = False
        self.give(actor)
        for other in self.actors if self.stopped else ():
            if not other.operates and other.at and (not other.idle or other.name in self.connected):
                other.dead = True
                self.give(other)

    def stop(self) -> None:
        """Kill the services; nobody but who runs the installation goes on until `stopped` is False again."""
        self.stopped = True
        self.pause("stopping the services")

    def unmet(self, actor: Actor) -> list[str]:
        """Faults that were never met where the actor is; at calls to the outside they are deaths."""
        faults = FAULTS if actor.at in STATEMENTS else (DIES,)
        return [one for one in faults if self.becomes(one, actor) == one and f"{one} at {actor.at}" not in self.met]

    def becomes(self, fault: str, actor: Actor) -> str:
        """A transaction that hangs is ended, and a database does not refuse what is done."""
        return DIES if (actor.holds if fault == SLEEPS else fault == REFUSED and actor.at not in STATEMENTS) else fault

    def _befall(self, actor: Actor, turn: Turn) -> bool:
        """Let the fault come; False if the actor does not go on."""
        fault, at = self.becomes(turn.fault, actor), actor.at
        kind = f"{fault} at {at}"
        self.met[kind] = self.met.get(kind, 0) + 1
        if fault == SLEEPS:
            self.note(f"{actor.name} {SLEEPS} in “{actor.act}” at {at}")
            actor.asleep_until = self.steps + 20 + turn.seed % 400
            self.clock.pass_time(61.0 + turn.seed % 200)
            return False
        if fault in {VANISHES, FILLS_UP}:
            self.note(f"{fault} for some steps")
            self.outage, self.outage_until = fault, self.steps + 1 + turn.seed % 25
        else:
            actor.fault, actor.dead = fault, fault == DIES
        return True

    def give(self, actor: Actor) -> None:
        self.current, self.chance.source = actor, actor.chance
        actor.turn.release()
        self._back.acquire()
        self.current, self.chance.source = None, self.chance.own

    def settle(self) -> None:
        """Let every act under way come to its end, without faults."""
        self.faults, self.ending, self.outage = 0.0, True, ""
        for _turn in range(100_000):
            able = [actor for actor in self.able() if actor.at and not actor.idle]
            if not able:
                return
            actor = self.chance.choice(able)
            actor.waits = False
            self.give(actor)
        raise AssertionError("an act never ends")

    def end(self) -> None:
        self.settle()
        for actor in self.actors:
            actor.at = "end"
            self.give(actor)
