"""Import responses that were collected elsewhere into a batch."""

from typing import Any

from annotation.flow.data import item_writer
from annotation.flow.review.response_import import import_responses
from annotation.management.json_command import JSONCommand, batch_named, existing, project_of, slug


class Command(JSONCommand):
    help = (
        'Import responses into a batch from a JSONL file of {"dataset": NAME, "item": 0-based position or id, '
        '"worker": any string, "answer": {...}}. All or nothing. Fields of an answer: tasks/<task>/README.md.'
    )

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("file", type=existing)

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["batch"])
        return import_responses(batch, options["file"], progress=self.progress_printer("Responses"))

    def lines(self, result: dict[str, Any]) -> list[str]:
        if result.get("already_there"):
            return ["Nothing to do: this file is already imported into the batch."]
        flaws = [item_writer.in_words(row) for row in result.get("flaws", [])]
        return [*flaws, f"{result.get('read', 0)} lines read, {result.get('accepted', 0)} responses stored."]
