"""Read a payout's file back: who was paid, and whom paying failed."""

from typing import Any

from annotation.flow import paying_out
from annotation.management.door import Door, existing, project_of


class Command(Door):
    help = "Read a payout's file back, with the states that were filled in; all of it or nothing."

    def add(self, parser: Any) -> None:
        parser.add_argument("file", type=existing)

    def act(self, **options: Any) -> dict[str, Any]:
        return dict(paying_out.reconcile(project_of(options), options["file"].read_bytes()))

    def lines(self, result: dict[str, Any]) -> list[str]:
        """Counts, or the lines that are wrong."""
        if "errors" in result:
            return [f"line {e['line']}, {e['field']}: {e['problem']}" for e in result["errors"]]
        return super().lines(result)
