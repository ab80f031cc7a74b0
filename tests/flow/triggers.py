"""The triggers of the migrations: the tests' database is made without them."""

from __future__ import annotations

import re
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
                cursor.execute(_renamed(statement), None)


def _renamed(statement: str) -> str:
    """A statement of a migration, about the tables that 0045 renamed later."""
    tables = import_module("annotation.migrations.0045_plain_names").TABLES
    for old, new in tables.items():
        statement = re.sub(rf"\bannotation_{old}\b", f"annotation_{new}", statement)
    return statement
