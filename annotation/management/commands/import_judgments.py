"""Read judgments that were collected elsewhere into a batch."""

from typing import Any

from annotation.flow.collecting import import_judgments
from annotation.formats.base import ended
from annotation.management.door import Door, batch_named, existing, project_of, slug


class Command(Door):
    help = (
        'Read a JSONL file of {"dataset": NAME, "item": 0-based position or id, "worker": any string, '
        '"answer": {...}} into a batch. All or nothing. What an answer of each task holds: docs/judgments.md.'
    )

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("file", type=existing)

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["batch"])
        return import_judgments(batch, options["file"], tell=self.teller("Judgments"))

    def lines(self, result: dict[str, Any]) -> list[str]:
        if result.get("already_there"):
            return ["Nothing to do: this file was read into the batch before."]
        flaws = [
            f"{f['severity']}: {f['place']}, {f['field']}: {ended(f['wrong'])} {ended(f['fix'])}"
            for f in result.get("flaws", [])
        ]
        return [*flaws, f"{result.get('read', 0)} lines read, {result.get('accepted', 0)} judgments stored."]
