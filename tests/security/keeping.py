"""What the database holds, kept in memory and put there again: much quicker than to make it anew."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db import connection

Rows = dict[str, tuple[str, list[tuple[Any, ...]]]]  # {table: (its columns as SQL, its rows)}


def rows() -> Rows:
    """Everything that is in the database."""
    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models(include_auto_created=True):
            columns = _columns(model)
            cursor.execute(f"SELECT {columns} FROM {_quoted(model._meta.db_table)}")
            found[model._meta.db_table] = columns, cursor.fetchall()
    return found


def without(after: Rows, before: Rows) -> Rows:
    """What came between the two."""
    added = {table: [row for row in kept if row not in before[table][1]] for table, (_, kept) in after.items()}
    return {table: (after[table][0], kept) for table, kept in added.items() if kept}


def put(kept: Rows) -> None:
    """The rows with the keys that they had; foreign keys are looked at when the transaction ends."""
    with connection.cursor() as cursor:
        for table, (columns, found) in kept.items():
            places = ", ".join(["%s"] * len(found[0]))
            cursor.executemany(f"INSERT INTO {_quoted(table)} ({columns}) VALUES ({places})", found)


def _columns(model: Any) -> str:
    fields = (field for field in model._meta.local_concrete_fields if not field.generated)
    return ", ".join(_quoted(field.column) for field in fields)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
