"""What was begun on the database and must be finished before anybody uses it: an upgrade or a restore.

A file in HOPSCRIBE_VAR, which all processes of an installation share, says what it was. It survives a kill, and until
`upgrade` or `restore` has finished the work, no process of ours gets a connection: what it wrote would be lost.
"""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection
from django.db.backends.signals import connection_created
from django.dispatch import receiver

from annotation.flow.errors import Refused

UPGRADE, RESTORE = "upgrade", "restore"
PATIENCE = 600  # seconds that a second process waits for the first
_ours = ContextVar("_ours", default=False)  # whether this thread is the one that finishes it


class Unfinished(OperationalError):
    """The database must not be used yet. `what`: UPGRADE or RESTORE."""

    def __init__(self, begun: dict[str, str]) -> None:
        self.what = begun["what"]
        run = UPGRADE if self.what == UPGRADE else f"{RESTORE} {begun['copy']}"
        super().__init__(
            f"The {self.what} of this database is under way, or was interrupted. "
            f"If it was, this finishes it, with nothing lost: {settings.PROGRAM} {run}"
        )


def _file() -> Path:
    return Path(settings.VAR) / "unfinished.json"


def begun() -> dict[str, str] | None:
    """What is unfinished in this database: {"what", "copy": its path, "digest": that of the copy's manifest}."""
    try:
        found: dict[str, str] = json.loads(_file().read_text())
    except FileNotFoundError:
        return None
    return found if found.pop("database") == database_name() else None  # DATABASE_URL may have changed since


def begin(what: str, copy: Path, *, digest: str = "") -> None:
    about = {"what": what, "copy": str(copy), "digest": digest, "database": database_name()}
    write_whole(_file(), json.dumps(about).encode())


def end() -> None:
    _file().unlink(missing_ok=True)
    sync(_file().parent)


def database_name() -> str:
    """The configured database, in a text without secrets that moves with HOPSCRIBE_VAR."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite {os.path.relpath(str(at['NAME']), settings.VAR)}"
    return f"{connection.vendor} {at['HOST']}:{at['PORT']}/{at['NAME']}"


@contextmanager
def allowed() -> Iterator[None]:
    """Let this thread use the database although something is unfinished."""
    before = _ours.set(True)
    try:
        yield
    finally:
        _ours.reset(before)


@receiver(connection_created)
def refuse(connection: Any, **_: Any) -> None:
    """Close each new connection while something is unfinished."""
    if not _ours.get() and connection.alias == DEFAULT_DB_ALIAS and (found := begun()):
        connection.close()
        raise Unfinished(found)


@contextmanager
def alone(name: str, *, patience: float = PATIENCE) -> Iterator[None]:
    """Let one process at a time into this home. A lock of SQLite's works on every system, and ends with its process.

    Raises Refused if another one has it for longer than `patience`, in seconds.
    """
    with closing(sqlite3.connect(settings.VAR / f"{name}.lock", timeout=patience, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise Refused(f"Another {name} is under way. Try again when it has ended.") from None
        yield


def write_whole(file: Path, content: bytes) -> None:
    """Write a private file, whole or not at all, even if the power fails."""
    draft = file.with_name(f".{file.name}.part")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600, exist_ok=False)
    with draft.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)
    sync(file.parent)


def sync(path: Path) -> None:
    """Make what was written to a file or a folder's list of names survive a loss of power."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
