"""Whether this installation can do its work now: asked every few seconds, so each check is cheap."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

WELL = "ok"
_migrated: set[str] = set()  # the databases that were seen with every migration of this code: they stay so


def examine() -> Iterator[tuple[str, str]]:
    """(part, "ok" or what is amiss, in words that tell a stranger nothing), the broker left to the doors."""
    yield "database", _database()
    yield "storage", _storage()


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1" if connection.vendor == "sqlite" else "SHOW transaction_read_only")
            if cursor.fetchone()[0] == "on":
                return "takes no writes"
        return WELL if _is_migrated() else "migrations are missing"
    except DatabaseError:
        return "does not answer"


def _is_migrated() -> bool:
    name = str(connection.settings_dict["NAME"])
    if name not in _migrated:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            return False
        _migrated.add(name)
    return True


def _storage() -> str:
    """A file of its own each time: several processes look at once."""
    probe = settings.VAR / f".ready-{os.getpid()}-{secrets.token_hex(4)}"
    try:
        probe.write_bytes(b"ready")
        probe.unlink()
    except OSError:
        return "cannot be written"
    return WELL
