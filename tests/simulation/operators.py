"""Who runs the installation: backs it up, restores a backup after a loss and upgrades it. Files fail there, too."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from annotation.flow.errors import Refused
from annotation.models import Job
from annotation.operations import backup, restore, unfinished, upgrade
from tests.process.kill_points import FILES, opener, writes
from tests.simulation import visit_books
from tests.simulation.outside import Outside
from tests.simulation.scheduler import Act, Actor, Died, Scheduler
from tests.simulation.world import World

PIECE = "copying a piece"
# What an upgrade may change: `tests.process.newer` changes titles of projects.
UPGRADED = frozenset({"newer_note", "django_migrations", "django_content_type", "auth_permission", "sqlite_sequence"})
UPGRADED |= {"annotation_project"}
SELDOM = 0.003  # times as often as others acts of its begin
KEPT = 3  # archives, of which one is restored
FORGET = ("DROP TABLE IF EXISTS newer_note", "DELETE FROM django_migrations WHERE app = 'newer'")
Tables = dict[str, str]


def database() -> Path:
    return Path(connection.settings_dict["NAME"])


def committed() -> Tables:
    """A digest of each table's rows, read without Django; {} if there are none."""
    with closing(sqlite3.dbapi2.connect(f"{database().as_uri()}?mode=ro", uri=True)) as raw:
        names = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        rows = {name: raw.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    return {name: sha256(repr(found).encode()).hexdigest() for name, found in rows.items()}


def differences(now: Tables, then: Tables, *, but: frozenset[str] = frozenset()) -> list[str]:
    return sorted(name for name in {*now, *then} - but if now.get(name) != then.get(name))


@dataclass
class Copied:
    """What was true when the database was copied; `file` is the archive, once it is whole."""

    tables: Tables
    memory: list[Any]
    file: Path = Path()
    left_out: list[str] = field(default_factory=list)


class Installation:
    """Its home and archives; `lost`: what is to be restored, from the loss until the restore has ended."""

    def __init__(self, scheduler: Scheduler, world: World, outside: Outside) -> None:
        self.scheduler, self.world, self.outside = scheduler, world, outside
        self.archives: list[Copied] = []
        self.last: Copied | None = None  # made by whoever backs up or upgrades alone
        self.lost: Copied | None = None
        self.wrong: list[str] = []
        self.number = 0
        self.looker = connections[DEFAULT_DB_ALIAS]  # this thread's connection, which looks at what is committed
        self.looker.inc_thread_sharing()
        self.operator = Actor("operator", self.choose, weight=SELDOM, luckless=2.0)
        self.operator.operates = self.operator.has_files = True
        self.timer = Actor("backup timer", self.timed, weight=3 * SELDOM, luckless=2.0)
        self.timer.has_files = True
        sys.addaudithook(self._event)

    def actors(self) -> list[Actor]:
        return [self.operator, self.timer] if connection.vendor == "sqlite" else []

    def _event(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Pass on the baton where a file changes; the dead change none."""
        if event not in FILES and (event != "open" or not writes(*arguments)):
            return
        actor = self.scheduler._here()
        if actor is not None and actor.has_files:
            if actor.dead:
                raise Died
            if str(arguments[0]).startswith(str(settings.VAR)):
                self.scheduler.pause(event)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Let nobody else go on meanwhile, and nothing break: it is the simulation that acts."""
        actor, self.scheduler.current = self.scheduler.current, None
        yield
        self.scheduler.current = actor

    def choose(self) -> tuple[str, Act]:
        begun = unfinished.begun()
        if begun and begun["what"] == unfinished.UPGRADE:
            return "upgrades again", partial(self.refused, upgrade.bring_up_to_date)
        if self.lost:
            return "restores again", partial(self.refused, partial(self.restore, self.lost))
        acts: list[tuple[float, str, Callable[[], Any]]] = [
            (1, "backs up", self.back_up),
            (0.5, "removes leftovers", backup.sweep_leftovers),
            (1.2, "upgrades", self.upgrade),
            (1.2 if self.archives else 0, "restores", self.lose),
        ]
        _weight, name, act = self.scheduler.chance.choices(acts, [weight for weight, _name, _act in acts])[0]
        return name, partial(self.refused, act)

    def timed(self) -> tuple[str, Act]:
        return "backs up", partial(self.refused, self.back_up)

    def refused(self, act: Callable[[], Any]) -> str:
        self.scheduler.hang_up()  # each command is a process of its own
        try:
            return str(act() or "done")
        except Refused as why:
            return f"refused: {str(why).partition('.')[0].partition(':')[0]}"  # no paths, which differ
        except OSError as full:
            if "simulated" not in str(full):
                raise
            return "the disk is full"
        finally:
            if self.scheduler._here() is self.operator and not self.lost and not unfinished.begun():
                self.scheduler.stopped, self.operator.weight = False, SELDOM

    def back_up(self) -> str:
        self.number += 1
        file = Path(settings.VAR) / "archives" / f"{self.number}.tar.gz"
        file.parent.mkdir(exist_ok=True)
        said = backup.back_up(file)
        assert self.last is not None
        self.last.file, self.last.left_out = file, said["left_out"]
        self.archives.append(self.last)
        return f"archive {file.name.partition('.')[0]} with {said['uploads']} uploads"

    def stop(self) -> None:
        self.scheduler.stop()
        self.operator.weight = 30.0  # nobody else does anything now

    def lose(self) -> str:
        """All but the archives is gone."""
        kept = self.scheduler.chance.choice(self.archives[-KEPT:])
        self.stop()
        self.outside.arrive()
        with self.at_once():
            self.looker.close()  # SQLite would remove the next database's WAL with it
            self.scheduler.hang_up()
            for path in Path(settings.VAR).iterdir():
                if path.name != "archives":
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.lost = kept
        return self.restore(kept)

    def restore(self, kept: Copied) -> str:
        restore.restore(kept.file)
        return f"archive {kept.file.name.partition('.')[0]}"

    def upgrade(self) -> str:
        """Another release comes, with a migration that may fail; the services may be started too early."""
        self.stop()
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in FORGET:
                cursor.execute(statement)
        os.environ["NEWER_BREAKS"] = "1" if self.scheduler.chance.random() < 0.3 else ""
        self.scheduler.stopped = self.scheduler.chance.random() < 0.5
        return f"{upgrade.bring_up_to_date()['migrations']} migrations"

    @contextmanager
    def doubles(self) -> Iterator[None]:
        """Let who waits for another's backup pass on the baton; look where something begins or ends."""
        alone, begin, end, dump = unfinished.alone, unfinished.begin, unfinished.end, backup.dump

        @contextmanager
        def in_turn(name: str, *, patience: float = unfinished.PATIENCE) -> Iterator[None]:
            until = self.scheduler.clock.monotonic + patience
            with ExitStack() as stack:
                while True:
                    try:
                        stack.enter_context(alone(name, patience=0))
                        break
                    except Refused:
                        if self.scheduler.clock.monotonic >= until:
                            raise
                    self.scheduler.pause("waiting for the lock")
                yield

        def begun(what: str, copy: Path, **more: Any) -> None:
            begin(what, copy, **more)
            self.last = None
            self.scheduler.stopped = False  # somebody starts the services too early

        def copied(folder: Path) -> Path:
            file = dump(folder)
            self.last = Copied(committed(), self.world.memory())
            return file

        def ended() -> None:
            what = unfinished.begun()
            end()
            if what is not None:
                self._ended(what["what"])

        with ExitStack() as stack:
            for place, name, double in (
                (unfinished, "alone", in_turn),
                (backup, "alone", in_turn),
                (unfinished, "begin", begun),
                (unfinished, "end", ended),
                (backup, "dump", copied),
                (upgrade, "_others", lambda: sorted(self.scheduler.connected - {"operator", "MainThread"})),
                (sqlite3, "connect", opener(lambda: self.scheduler.pause(PIECE))),
            ):
                stack.enter_context(mock.patch.object(place, name, double))
            yield

    def _ended(self, what: str) -> None:
        """Look at the database at the moment from which it is used again."""
        self.scheduler.stopped = False
        now = committed()
        if what == unfinished.RESTORE and self.lost is not None:
            if other := differences(now, self.lost.tables):
                self.wrong.append(f"a restore that ended left another database than was copied, in {other}")
            self.wrong += list(self._missing(self.lost))
            self.world.go_back(self.lost.memory)
            with self.at_once(), unfinished.allowed():
                visit_books.note_restored(self.world.panel)
            self.lost = None
        other = differences(now, self.last.tables, but=UPGRADED) if self.last else []
        if what == unfinished.UPGRADE and other:
            self.wrong.append(f"an upgrade that ended changed {other}")

    def _missing(self, kept: Copied) -> Iterator[str]:
        """Uploads that a job needs are there, if they were."""
        root = Path(settings.MEDIA_ROOT)
        with self.at_once(), unfinished.allowed():
            jobs = list(Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING]))
        for file in [file for job in jobs for file in job.files]:
            if not file.exists() and file.relative_to(root).as_posix() not in kept.left_out:
                yield f"a restore that ended lacks the upload {file.name}, which a job needs"

    def is_closed(self) -> bool:
        """Whether nobody may use the database now; else there is a connection to look at it."""
        if self.lost or unfinished.begun():
            return True
        connection.ensure_connection()  # which gives it the mode of its transactions; a look has its own
        return False

    def violations(self) -> Iterator[str]:
        """What ended left all, and a restore that is under way or dead has left nothing or all."""
        yield from self.wrong
        if self.lost and unfinished.begun():
            try:
                now = committed()
            except sqlite3.OperationalError:  # a piece is being copied
                return
            if now and (other := differences(now, self.lost.tables)):
                yield f"a restore that has not ended left a part, without {other}"

    def finish(self) -> None:
        """Let what was begun come to its end."""
        with unfinished.allowed():
            for _time in range(2):  # the first may be refused, of an upgrade whose migration fails
                if unfinished.begun() or self.lost:
                    name, act = self.choose()
                    said = act()
        if unfinished.begun() or self.lost:
            self.wrong.append(f"what was begun cannot be ended: {name}: {said}")
