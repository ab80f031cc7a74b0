"""Import Mechanical Turk worker IDs into a project."""

from typing import Any

from annotation.flow.people.mturk_ids import import_ids
from annotation.management.json_command import JSONCommand, existing, project_of


class Command(JSONCommand):
    help = (
        "Import worker IDs from Mechanical Turk, one per line or in the first column of a CSV file. Each becomes a "
        "worker who has not joined yet. You can block these workers and grant them qualifications."
    )

    def add(self, parser: Any) -> None:
        parser.add_argument("file", type=existing)

    def act(self, **options: Any) -> dict[str, Any]:
        return import_ids(project_of(options), options["file"].read_bytes())

    def lines(self, result: dict[str, Any]) -> list[str]:
        return [f"{result['read']} worker IDs read, {result['added']} added, {result['known']} known already."]
