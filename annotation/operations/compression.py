"""A migration operation that sets how PostgreSQL compresses long values."""

from typing import Any

from django.db.migrations.operations.base import Operation

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
