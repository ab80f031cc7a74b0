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

from annotation.operations.online_indexes import AddIndexWhileServing

RELEASED = 14
# Tables that may hold millions of rows: nothing may lock them while it reads all of them.
BIG = {
    "answer",
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
}
OF_WORDS = {"choices", "verbose_name", "help_text", "validators", "related_name", "blank", "default", "error_messages"}
HARMLESS = (
    migrations.CreateModel,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    AddIndexWhileServing,
)


def later_migrations() -> list[tuple[str, Any]]:
    """Those after the release, in their order."""
    known = MigrationLoader(None).disk_migrations
    found = [(name, one) for (app, name), one in known.items() if app == "annotation" and int(name[:4]) > RELEASED]
    return sorted(found, key=lambda pair: pair[0])


def violations() -> Iterator[str]:
    """`migration: operation on table: why`, for whatever is not safe."""
    loader = MigrationLoader(None)
    for name, migration in later_migrations():
        state = loader.project_state(("annotation", name), at_end=False)
        fresh = young_tables(loader)
        yield from (f"{name}: {told}" for told in unsafe(migration, state, fresh))


def young_tables(loader: MigrationLoader) -> set[str]:
    """Models that the release did not have."""
    released = max(name for app, name in loader.disk_migrations if app == "annotation" and int(name[:4]) <= RELEASED)
    before = loader.project_state(("annotation", released)).models
    now = loader.project_state().models
    operations = [operation for _name, migration in later_migrations() for operation in migration.operations]
    made = {operation.name.lower() for operation in operations if hasattr(operation, "fields")}
    made |= {operation.new_name.lower() for operation in operations if isinstance(operation, migrations.RenameModel)}
    return (made | {name for app, name in now if app == "annotation"}) - {n for a, n in before if a == "annotation"}


def unsafe(migration: Any, state: ProjectState, fresh: set[str]) -> Iterator[str]:
    for operation in migration.operations:
        table = getattr(operation, "model_name", getattr(operation, "name", "")).lower()
        if isinstance(operation, migrations.RenameModel):
            table = operation.old_name.lower()
        if table not in fresh and (why := _why_not(operation, table, state)):
            yield f"{type(operation).__name__} on {table or 'rows'}: {why}"
        operation.state_forwards("annotation", state)


def _why_not(operation: Any, table: str, state: ProjectState) -> str:
    if isinstance(operation, HARMLESS):
        return ""
    if isinstance(operation, migrations.SeparateDatabaseAndState) and not operation.database_operations:
        return ""
    if isinstance(operation, migrations.AddField):
        return _field(operation.field)
    if isinstance(operation, migrations.AlterField):
        return _alteration(state.models["annotation", table].fields[operation.name], operation.field)
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
