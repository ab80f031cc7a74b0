"""Migration operations for large tables in use; `docs/developers.md` says when to use them."""

from typing import Any

from django.db import migrations


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


def _concurrently(schema_editor: Any) -> dict[str, bool]:
    return {"concurrently": True} if schema_editor.connection.vendor == "postgresql" else {}
