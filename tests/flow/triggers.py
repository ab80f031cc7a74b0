"""The triggers of the migrations: the tests' database is made without them."""

from __future__ import annotations

from importlib import import_module

from django.db import connection

MIGRATIONS = ("0021_log_and_bin", "0031_append_only")


def make() -> None:
    """Make them, for the transaction of a test."""
    with connection.cursor() as cursor:
        for name in MIGRATIONS:
            kept = import_module(f"annotation.migrations.{name}")
            found = {"sqlite": kept.SQLITE, "postgresql": kept.POSTGRESQL}[connection.vendor]
            for statement in [found] if isinstance(found, str) else found:
                cursor.execute(statement, None)
