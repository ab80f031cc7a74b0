"""Readiness checks of the installation, cheap because monitors ask every few seconds."""

import os
import secrets
from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from annotation.operations.replaced_migrations import too_old
from annotation.operations.unfinished import Unfinished

WELL = "ok"
_migrated: set[str] = set()  # the databases that were seen with every migration of this code: they stay so


def examine() -> Iterator[tuple[str, str]]:
    """(part, "ok" or the problem, without details, since anyone may ask). Callers check the broker themselves."""
    yield "database", _database()
    yield "storage", _storage()


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            # A standby answers reads, so ask PostgreSQL whether it accepts writes.
            cursor.execute("SELECT 1" if connection.vendor == "sqlite" else "SHOW transaction_read_only")
            if cursor.fetchone()[0] == "on":
                return "is read-only"
        return WELL if _is_migrated() else "migrations are missing"
    except Unfinished as unfinished:
        return f"has an unfinished {unfinished.what}"
    except DatabaseError:
        return "does not answer"


def _is_migrated() -> bool:
    name = str(connection.settings_dict["NAME"])
    if name not in _migrated:
        if too_old(connection):
            return False
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return False
        _migrated.add(name)
    return True


def _storage() -> str:
    """Write and remove a file; each time another one, because several processes check at once."""
    probe = settings.VAR / f".ready-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        probe.write_bytes(b"ready")
        probe.unlink()
    except OSError:
        return "cannot be written"
    return WELL
