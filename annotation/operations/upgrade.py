"""Bring the database up to this release: alone, after a copy, and back to the copy if a migration fails."""

import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation.flow.errors import Refused
from annotation.operations import backup
from annotation.operations.open_files import processes_using

KEPT = 3  # copies of the last upgrades
PATIENCE = 600  # seconds that a second process waits for the first


def release() -> str:
    """The installed release, "" in a checkout."""
    try:
        return "" if settings.CHECKOUT else version("hopscribe")
    except PackageNotFoundError:
        return ""


def bring_up_to_date() -> dict[str, Any]:
    """Apply the missing migrations; returns {"migrations": how many, "copy": of the database before, "" if it was new}.

    Raises Refused if others use the database, or if a migration failed; then the database is as it was before.
    """
    with _alone():
        missing = _missing()
        copy = ""
        if missing and connection.introspection.table_names():
            _refuse_others()
            copy = str(_migrate_or_go_back())
        elif missing:
            call_command("migrate", interactive=False, verbosity=0)
        _note().write_text(release())
        return {"migrations": missing, "copy": copy}


@contextmanager
def _alone() -> Iterator[None]:
    """Let one process at a time into this home. A lock of SQLite's works on every system, and ends with its process."""
    with closing(sqlite3.connect(settings.VAR / "upgrade.lock", timeout=PATIENCE, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield


def _missing() -> int:
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _note() -> Path:
    """The file that says which release the database was last brought up to."""
    return Path(settings.VAR) / "release"


def _refuse_others() -> None:
    """What others write between the copy and a failure would be lost."""
    for _attempt in range(5):  # a process that has just ended is listed for a moment longer
        others = _others()
        if not others:
            return
        time.sleep(0.3)
    raise Refused(f"Stop the web server and its workers first. The database is open in {', '.join(others)}.")


def _others() -> list[str]:
    if connection.vendor == "sqlite":
        return processes_using(Path(str(connection.settings_dict["NAME"])))
    with connection.cursor() as cursor:
        cursor.execute(  # PostgreSQL's own autovacuum is listed with the database it is in, too
            "SELECT pid, application_name FROM pg_stat_activity WHERE datname = current_database() "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return [f"session {pid} {name}".strip() for pid, name in cursor.fetchall()]


def _migrate_or_go_back() -> Path:
    """Copy the database and migrate it; put the copy back if that fails. Returns the copy's folder."""
    folder = Path(settings.VAR) / "backups" / time.strftime("before-upgrade-%Y%m%dT%H%M%S", time.gmtime())
    folder.mkdir(mode=0o700, parents=True)
    backup.dump(folder)
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except BaseException as failure:
        backup.put_back(folder)
        if not isinstance(failure, Exception):
            raise
        before = _note().read_text() if _note().exists() else ""
        way = f'pip install "hopscribe=={before}"' if before else "install the release before"
        why = f"{type(failure).__name__}: {failure}".strip()
        raise Refused(
            f"The upgrade failed, and the database is as it was before it: {why}. To go on working, {way}. "
            f"A copy of the database is in {folder}."
        ) from failure
    for old in sorted(folder.parent.glob("before-upgrade-*"))[:-KEPT]:
        shutil.rmtree(old)
    return folder
