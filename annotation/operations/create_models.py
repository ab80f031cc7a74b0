"""A migration operation that creates many models at once."""

from typing import Any

from django.db.migrations.operations.base import Operation


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
