"""Migration operations of our own; `docs/developers.md` says when large tables in use need them."""

from contextlib import suppress
from typing import Any

from django.db import DatabaseError, migrations, transaction
from django.db.migrations.operations.base import Operation


class AddIndexWhileServing(migrations.AddIndex):
    """AddIndex without locking the table on PostgreSQL. The migration must set `atomic = False`."""

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            # One that was broken off leaves an index that is no good.
            how = "CONCURRENTLY " if schema_editor.connection.vendor == "postgresql" else ""
            schema_editor.execute(f"DROP INDEX {how}IF EXISTS {schema_editor.quote_name(self.index.name)}")
            schema_editor.add_index(model, self.index, **_concurrently(schema_editor))

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = from_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            index = from_state.models[app_label, self.model_name_lower].get_index_by_name(self.index.name)
            schema_editor.remove_index(model, index, **_concurrently(schema_editor))


class AddCheckWhileServing(migrations.AddConstraint):
    """AddConstraint for a column that the same release adds: on PostgreSQL, nothing is locked while rows are read.

    The migration must set `atomic = False`.
    """

    atomic = False

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            table, name = map(schema_editor.quote_name, (model._meta.db_table, self.constraint.name))
            schema_editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}")
            schema_editor.execute(f"{self.constraint.create_sql(model, schema_editor)} NOT VALID")
            schema_editor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}")


def _concurrently(schema_editor: Any) -> dict[str, bool]:
    return {"concurrently": True} if schema_editor.connection.vendor == "postgresql" else {}


class AddTrigramIndex(Operation):
    """An index for `icontains` on PostgreSQL, of a table that is still empty.

    Nothing is made where the extension pg_trgm is missing and may not be created: searches then read every row.
    """

    def __init__(self, model_name: str, column: str, name: str) -> None:
        self.model_name, self.column, self.name = model_name, column, name

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Other databases do not have it, so models do not name it."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        connection = schema_editor.connection
        model = to_state.apps.get_model(app_label, self.model_name)
        if connection.vendor != "postgresql" or not self.allow_migrate_model(connection.alias, model):
            return
        with suppress(DatabaseError), transaction.atomic(connection.alias):  # a refusal ends a transaction
            schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        with connection.cursor() as cursor:
            cursor.execute("SELECT FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND pg_opclass_is_visible(oid)")
            is_known = cursor.fetchone() is not None
        if is_known:
            name, table, column = map(schema_editor.quote_name, (self.name, model._meta.db_table, self.column))
            schema_editor.execute(
                f"CREATE INDEX IF NOT EXISTS {name} ON {table} USING gin (UPPER({column}) gin_trgm_ops)"
            )

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP INDEX IF EXISTS {schema_editor.quote_name(self.name)}")


OFFERED = "SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)"


class CompressWithLz4(Operation):
    """Compress what will be written into a column with lz4 on PostgreSQL, which takes less CPU than its own pglz.

    Nothing changes on a server that was built without lz4. Rows that are there stay as they are.
    """

    def __init__(self, model_name: str, column: str) -> None:
        self.model_name, self.column = model_name, column

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Other databases do not have it, so models do not name it."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        connection = schema_editor.connection
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(OFFERED)
                is_known = cursor.fetchone() is not None
            if is_known:
                self._set("lz4", app_label, schema_editor, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            self._set("default", app_label, schema_editor, from_state)

    def _set(self, method: str, app_label: str, schema_editor: Any, state: Any) -> None:
        model = state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            table, column = map(schema_editor.quote_name, (model._meta.db_table, self.column))
            schema_editor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET COMPRESSION {method}")


class CreateModels(Operation):
    """Several CreateModel operations, whose models are rendered once instead of once for each of them.

    Django renders all models related to a new one again, here nearly all: 50 models cost seconds of CPU one by one.
    """

    reduces_to_sql = True

    def __init__(self, *operations: Operation) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: Any) -> None:
        vars(state).pop("apps", None)  # rendered again when next asked for
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for operation in reversed(self.operations):
            operation.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return "\n".join(operation.describe() for operation in self.operations)
