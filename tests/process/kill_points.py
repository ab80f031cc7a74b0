"""Processes that end without a word before the n-th thing that they do to files or to the database.

Django is loaded once; each life is a fork of this process, so that a death costs no start of an interpreter.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

KILLED, RAISED = 9, 3
FILES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.chmod", "shutil.rmtree", "subprocess.Popen"}
PIECE = 64  # pages that SQLite's backup copies between two points


class Steps:
    """Counts what this process does, and ends it before the `last`-th of it; `names` of all that came before."""

    def __init__(self, last: int) -> None:
        self.last, self.names = last, list[str]()

    def step(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) == self.last:
            os._exit(KILLED)

    def watch(self) -> None:
        sys.dont_write_bytecode = True
        sys.addaudithook(self._event)
        connection_created.connect(self._connected, weak=False)
        commit = BaseDatabaseWrapper._commit

        def committed(database: Any) -> Any:
            self.step("before COMMIT")
            commit(database)
            self.step("after COMMIT")

        BaseDatabaseWrapper._commit = committed  # type: ignore[method-assign]
        sqlite3.connect = opener(lambda: self.step("piece of a backup"))

    def _event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in FILES or (event == "open" and writes(*arguments)):
            self.step(f"{event} {arguments[0]}")

    def _connected(self, connection: Any, **_: Any) -> None:
        connection.execute_wrappers.append(self._executed)

    def _executed(self, execute: Callable[..., Any], sql: Any, *rest: Any) -> Any:
        if not str(sql).startswith(("SELECT", "EXPLAIN", "PRAGMA")):
            self.step(f"execute {str(sql)[:60]}")
        return execute(sql, *rest)


def opener(step: Callable[[], None]) -> Callable[..., sqlite3.Connection]:
    """Like sqlite3.connect, but `step` is called before a backup and after each of its pieces."""

    def opened(*arguments: Any, **more: Any) -> sqlite3.Connection:
        factory = more.pop("factory", sqlite3.Connection)

        class Copied(factory):  # type: ignore[misc, valid-type]
            def backup(self, target: Any) -> None:
                step()
                super().backup(target, pages=PIECE, progress=lambda *_: step())

        return sqlite3.dbapi2.connect(*arguments, factory=Copied, **more)

    return opened


def writes(path: Any, _mode: Any, flags: Any) -> bool:
    return bool(int(flags or 0) & (os.O_WRONLY | os.O_RDWR)) and str(path).startswith(str(Path(settings.VAR).parent))


def life(act: Callable[[], Any], *, last: int = 0) -> tuple[int, Any, list[str]]:
    """Run this in a process of its own that ends before its `last`-th step; (exit code, what it returned, steps).

    Of one that was killed nothing is known; of one that raised, the text.
    """
    connections.close_all()
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        os.close(told)
        steps = Steps(last)
        steps.watch()
        code, found = 0, None
        try:
            found = act()
        except Exception as failure:
            code, found = RAISED, f"{type(failure).__name__}: {failure}"
        with os.fdopen(tell, "w") as out:
            json.dump([found, steps.names], out)
        os._exit(code)
    os.close(tell)
    with os.fdopen(told) as text:
        said = text.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found, names = json.loads(said) if said else (None, [])
    return code, found, names


def state() -> dict[str, Any]:
    """All that the old release reads, and which tables and migrations there are."""
    from django.db import connection
    from django.db.migrations.recorder import MigrationRecorder

    from annotation.operations import copy_database

    with connection.cursor() as cursor:
        tables = sorted(connection.introspection.table_names(cursor))
    rows = {model._meta.db_table: copy_database.digest(model, "default") for model in copy_database.tables()}
    applied = sorted(map(list, MigrationRecorder(connection).applied_migrations()))
    return {"tables": tables, "applied": applied, "rows": {name: list(found) for name, found in rows.items()}}


def copies() -> list[str]:
    return sorted(path.name for path in (Path(settings.VAR) / "backups").glob("*"))
