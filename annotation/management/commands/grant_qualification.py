"""Grant a qualification to the workers listed in a file."""

from typing import Any

from annotation.flow.people.bulk_grants import grant_all, plan, read_file
from annotation.flow.work.eligibility import type_named
from annotation.management.json_command import JSONCommand, existing, project_of, words


class Command(JSONCommand):
    help = "Grant the scores of a table worker,value (pseudonym or worker ID, whole number). All or nothing."

    def add(self, parser: Any) -> None:
        parser.add_argument("qualification", type=words(200), help="its name or ID")
        parser.add_argument("file", type=existing)
        parser.add_argument("--reason", type=words(1000), default="", help="kept in the history")
        parser.add_argument("--dry-run", action="store_true", help="print what would change, and change nothing")

    def act(self, **options: Any) -> dict[str, Any]:
        project = project_of(options)
        type = type_named(project, options["qualification"])
        wanted = read_file(project, options["file"].read_bytes())
        changes = len(plan(type, wanted))
        if not options["dry_run"]:
            changes = grant_all(type, wanted, source="file", reason=options["reason"])
        return {"read": len(wanted), "changed": changes, "dry_run": options["dry_run"]}

    def lines(self, result: dict[str, Any]) -> list[str]:
        verb = "would change" if result["dry_run"] else "changed"
        return [f"{result['read']} workers read, {result['changed']} scores {verb}."]
