"""Import a completed payout file: who was paid, and whose payment failed."""

from typing import Any

from annotation.flow.money import payouts
from annotation.management.json_command import JSONCommand, existing, project_of


class Command(JSONCommand):
    help = "Import a payout file with its completed column of states. All or nothing."

    def add(self, parser: Any) -> None:
        parser.add_argument("file", type=existing)

    def act(self, **options: Any) -> dict[str, Any]:
        return dict(payouts.reconcile(project_of(options), options["file"].read_bytes()))

    def lines(self, result: dict[str, Any]) -> list[str]:
        """The counts, or the errors by line."""
        if "errors" in result:
            return [f"line {e['line']}, {e['field']}: {e['problem']}" for e in result["errors"]]
        return super().lines(result)
