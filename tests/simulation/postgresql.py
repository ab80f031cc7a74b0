"""A simulation's order on PostgreSQL: real connections, and who waits for a lock is not chosen until it is granted."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any, LiteralString

import psycopg
from django.apps import apps
from django.db import connection
from psycopg import sql
from psycopg.pq import TransactionStatus

from annotation.models import clock as database_clock
from tests.simulation.scheduler import Actor, Scheduler
from tests.simulation.seams import Clock
from tests.simulation.turns import CUT, TIMES_OUT, Chance, Turn

CLOCKS = ("now", "transaction_timestamp", "statement_timestamp", "clock_timestamp")
LOOK = 0.015  # seconds after which a statement without a reply may be waiting: longer than deadlocks last
SERVER = ("host", "port", "user", "password", "dbname")
TIMING_OUT = 0.01  # share of steps while somebody waits for a lock
CUTTING = 0.2  # share of faults
BLOCKED = "SELECT pid FROM unnest(%s::int[]) AS pid WHERE cardinality(pg_blocking_pids(pid)) > 0"
sleep = time.sleep  # not the simulation's


def beside(**other: str) -> psycopg.Connection[Any]:
    """A connection to the simulation's database, or another, that no actor has."""
    server = {name: value for name, value in connection.get_connection_params().items() if name in SERVER}
    return psycopg.connect(**server | other, autocommit=True)


class OnPostgreSQL(Scheduler):
    def __init__(self, chance: Chance, clock: Clock) -> None:
        super().__init__(chance, clock)
        told = "LANGUAGE sql STABLE AS $$ SELECT current_setting('simulation.now')::timestamptz $$"
        with beside() as raw:
            raw.execute("CREATE SCHEMA simulation")
            for name in CLOCKS:
                raw.execute(f"CREATE FUNCTION simulation.{name}() RETURNS timestamptz {told}")
        self._pids: dict[str, int] = {}  # of the back end of each thread
        self._lock = threading.Lock()
        self._asking: set[Actor] = set()  # who waits for a reply of the database

    def add(self, actor: Actor) -> None:
        if not self.actors:  # plans must not depend on when a table was last looked at
            self._watch = beside()
            for model in apps.get_models():
                table = sql.Identifier(model._meta.db_table)
                self._watch.execute(sql.SQL("ALTER TABLE {} SET (autovacuum_enabled = false)").format(table))
        super().add(actor)

    def prepare(self, raw: Any) -> None:
        database_clock._ahead = timedelta(0)
        self._pids[threading.current_thread().name] = raw.info.backend_pid

    @contextmanager
    def own_database(self) -> Iterator[None]:
        before = connection.settings_dict["NAME"]
        own = f"{before}_{os.getpid()}"
        with beside(dbname="postgres") as raw:
            raw.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*map(sql.Identifier, (own, before))))
            connection.settings_dict["NAME"] = own
            try:
                yield
            finally:
                raw.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(own)))

    def has_begun(self, raw: Any) -> bool:
        return raw.info.transaction_status in {TransactionStatus.INTRANS, TransactionStatus.INERROR}

    @contextmanager
    def looking(self) -> Iterator[None]:
        self.chance.source = Random(0)
        yield
        self.chance.source = self.chance.own

    def _statement(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if self._here():
            self.begin(sql)
        wrapper = rest[-1]["connection"]
        if wrapper.connection.info.transaction_status != TransactionStatus.INERROR:
            with wrapper.wrap_database_errors:
                now = self.clock.wall.isoformat()
                wrapper.connection.execute("SELECT set_config('simulation.now', %s, false)", [now])
        return self.ask(lambda: execute(sql, *rest))

    def ask(self, act: Callable[[], Any]) -> Any:
        actor = self._here()
        if actor is None:
            return act()
        with self._lock:
            self._asking.add(actor)
        try:
            return act()
        finally:
            with self._lock:
                self._asking.discard(actor)
                waited, actor.waits = actor.waits, False
            if waited:
                self.resume(actor)

    def decide(self) -> Turn:
        waiting, chance = [actor for actor in self.actors if actor.waits], self.chance
        if self.cuts and self.faults and waiting and chance.random() < TIMING_OUT:
            return Turn(chance.choice(waiting).name, 0.0, chance.getrandbits(32), TIMES_OUT)
        turn = super().decide()
        return replace(turn, fault=CUT) if self.cuts and turn.fault and chance.random() < CUTTING else turn

    def take(self, turn: Turn) -> None:
        waiting = next((actor for actor in self.actors if actor.waits and actor.name == turn.actor), None)
        super().take(turn)
        if waiting and turn.fault == TIMES_OUT:
            self._strike(waiting, TIMES_OUT, "SELECT pg_cancel_backend(%s)")
            while waiting.waits:
                sleep(0.001)  # the database says what it waits for; the clock of tests.waiting is the simulation's
            self._await_replies()  # of those who stood behind it

    def _befall(self, actor: Actor, turn: Turn) -> bool:
        if turn.fault == CUT:
            self._strike(actor, CUT, "SELECT pg_terminate_backend(%s)")
            self._await_end(actor.name)
            self._await_replies()  # of those who waited for its locks
            actor.fault, actor.holds = CUT, False
        return turn.fault in {TIMES_OUT, CUT} or super()._befall(actor, turn)

    def _strike(self, actor: Actor, fault: str, how: LiteralString) -> None:
        kind = f"{fault} at {actor.at}"
        self.met[kind] = self.met.get(kind, 0) + 1
        self.note(f"{actor.name} {fault} in “{actor.act}” at {actor.at}")
        actor.struck = True
        self._watch.execute(how, [self._pids.get(actor.name)])

    def able(self) -> list[Actor]:
        awake = [actor for actor in self.actors if self.ending or actor.asleep_until <= self.steps]
        return [actor for actor in awake if not actor.waits]

    def give(self, actor: Actor) -> None:
        self.current, self.chance.source = actor, actor.chance
        actor.turn.release()
        sightings = 0
        while not self._back.acquire(timeout=LOOK):
            sightings = sightings + 1 if self._blocked([actor]) else 0
            with self._lock:
                if sightings > 1 and actor in self._asking:
                    actor.waits = True
                    break
        self.current, self.chance.source = None, self.chance.own
        if actor.waits:
            self.met["waits for a lock"] = self.met.get("waits for a lock", 0) + 1
        self._await_replies()

    def _await_replies(self) -> None:
        """Until everybody who waited for a lock has the reply, or waits for a lock that somebody still has."""
        while waiting := [actor for actor in self.actors if actor.waits]:
            if len(self._blocked(waiting)) == len(waiting):
                return
            sleep(0.001)  # the database says what it waits for; the clock of tests.waiting is the simulation's

    def _blocked(self, actors: Collection[Actor]) -> set[int]:
        pids = [self._pids[actor.name] for actor in actors if actor.name in self._pids]
        return {pid for (pid,) in self._watch.execute(BLOCKED, [pids])}

    def hang_up(self) -> None:
        """What a connection held is free once its back end has gone."""
        super().hang_up()
        self._await_end(threading.current_thread().name)

    def _await_end(self, name: str) -> None:
        pid = self._pids.pop(name, None)
        while self._watch.execute("SELECT FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone():
            sleep(0.001)  # the database says what it waits for; the clock of tests.waiting is the simulation's
