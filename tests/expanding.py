"""What a migration may do while processes of the release before it still serve: only add what they need not know.

`violations` names every operation beyond that, for migrations after RELEASED. Tables that are younger than it are free:
no process of that release knows them. What must be done otherwise is listed in tests/test_migrations.py, with why.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models.fields import NOT_PROVIDED

from annotation.operations.migration_operations import (
    AddCheckWhileServing,
    AddIndexWhileServing,
    AddTrigramIndex,
    CompressWithLz4,
)

RELEASED = 1
OURS = {"annotation", "marketplaces", "mturk_api", "webhooks"}
# Tables that may hold millions of rows: nothing may lock them while it reads all of them.
BIG = {
    "assignment",
    "auditentry",
    "entry",
    "event",
    "hit",
    "item",
    "job",
    "listing",
    "payment",
    "publication",
    "workerresponse",
}
OF_WORDS = {"choices", "verbose_name", "help_text", "validators", "related_name", "blank", "default", "error_messages"}
HARMLESS = (
    migrations.CreateModel,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    AddCheckWhileServing,
    AddIndexWhileServing,
    AddTrigramIndex,
    CompressWithLz4,
)


def later_migrations() -> list[tuple[str, str, Any]]:
    """(app, name, migration) of those after the release, in their order."""
    known = MigrationLoader(None).disk_migrations
    found = [(app, name, one) for (app, name), one in known.items() if app in OURS and int(name[:4]) > RELEASED]
    return sorted(found, key=lambda entry: entry[:2])


def violations() -> Iterator[str]:
    """`app.migration: operation on table: why`, for whatever is not safe."""
    loader = MigrationLoader(None)
    fresh = young_tables()
    for app, name, migration in later_migrations():
        state = loader.project_state((app, name), at_end=False)
        yield from (f"{app}.{name}: {result}" for result in unsafe(app, migration, state, fresh))


def young_tables() -> set[str]:
    """Models that the release did not have."""
    operations = [operation for _app, _name, migration in later_migrations() for operation in migration.operations]
    made = {operation.name.lower() for operation in operations if isinstance(operation, migrations.CreateModel)}
    return made | {
        operation.new_name.lower() for operation in operations if isinstance(operation, migrations.RenameModel)
    }


def unsafe(app: str, migration: Any, state: ProjectState, fresh: set[str]) -> Iterator[str]:
    for operation in migration.operations:
        table = getattr(operation, "model_name", getattr(operation, "name", "")).lower()
        if isinstance(operation, migrations.RenameModel):
            table = operation.old_name.lower()
        if table not in fresh and (why := _why_not(app, operation, table, state)):
            yield f"{type(operation).__name__} on {table or 'rows'}: {why}"
        operation.state_forwards(app, state)


def _why_not(app: str, operation: Any, table: str, state: ProjectState) -> str:
    if isinstance(operation, HARMLESS):
        return ""
    if isinstance(operation, migrations.SeparateDatabaseAndState) and not operation.database_operations:
        return ""
    if isinstance(operation, migrations.AddField):
        return _field(operation.field)
    if isinstance(operation, migrations.AlterField):
        return _alteration(state.models[app, table].fields[operation.name], operation.field)
    if isinstance(operation, migrations.AddIndex):
        return "an index on a big table is made by AddIndexWhileServing" if table in BIG else ""
    if isinstance(operation, migrations.AddConstraint):
        return "checking a big table locks it" if table in BIG else "the release before may write what it refuses"
    if isinstance(operation, (migrations.RemoveIndex, migrations.RemoveConstraint)):
        return ""
    return "the release before needs what this takes, or rows are locked while it runs"


def _field(field: Any) -> str:
    """A column that old processes do not know must fill itself when they insert rows."""
    if field.many_to_many or field.null or getattr(field, "db_default", NOT_PROVIDED) is not NOT_PROVIDED:
        return ""
    if isinstance(field, models.GeneratedField):
        return ""
    return f"{field.name or 'the column'} needs null=True or db_default: Django drops a plain default from the table"


def _alteration(before: Any, after: Any) -> str:
    old, new = (field.deconstruct() for field in (before, after))
    changed = {key for key in {*old[3], *new[3]} if old[3].get(key) != new[3].get(key)} - OF_WORDS
    if old[1] == new[1] and not changed:
        return ""
    grows = changed == {"max_length"} and (new[3].get("max_length") or 0) > (old[3].get("max_length") or 0)
    loosens = changed == {"null"} and after.null
    return "" if old[1] == new[1] and (grows or loosens) else f"{', '.join(sorted(changed)) or 'the type'} changes"
