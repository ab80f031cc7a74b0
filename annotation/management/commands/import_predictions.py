"""Import a model's predictions on a dataset."""

from typing import Any

from annotation.flow.data import item_writer
from annotation.flow.reports import batch_scores, model_predictions
from annotation.management.json_command import (
    JSONCommand,
    batch_named,
    dataset_named,
    existing,
    project_of,
    slug,
    words,
)
from annotation.pure.reports.baselines import SHOWN
from annotation.scorers import READERS


class Command(JSONCommand):
    help = (
        "Import a model's predictions: answers to a dataset's questions, which reports compare with human scores; or "
        'with --batch responses to that batch\'s task, JSONL of {"item": 0-based position or id, "answer": {...}} and '
        'perhaps "run", "confidence" (0 to 1) and "cost" (US dollars), of ratings also a table. All or nothing.'
    )

    def add(self, parser: Any) -> None:
        parser.add_argument("name", type=slug)
        parser.add_argument("file", type=existing)
        parser.add_argument("--model", required=True, type=words(200))
        parser.add_argument("--batch", type=slug, help="the batch to whose task the predictions are responses")
        parser.add_argument("--format", choices=sorted(READERS), help="of answers to questions; not with --batch")
        shown = "what the model was shown, of a baseline without multihop reasoning; by default the items as they are"
        parser.add_argument("--shown", default="", choices=sorted(SHOWN), help=shown)

    def act(self, **options: Any) -> dict[str, Any]:
        if bool(options["batch"]) == bool(options["format"]):
            self.usage("Give either --format, of answers to questions, or --batch, of responses to its task.")
        if options["batch"] and options["shown"]:
            self.usage("--shown is about answers to questions; leave it out with --batch.")
        project = project_of(options)
        dataset = dataset_named(project, options["name"])
        terms = {"model": options["model"], "progress": self.progress_printer("Predictions")}
        if options["batch"]:
            batch = batch_named(project, options["batch"])
            return model_predictions.import_predictions(batch, dataset, options["file"], **terms)
        terms |= {"format": options["format"], "shown": options["shown"]}
        return batch_scores.import_predictions(dataset, options["file"], **terms)

    def lines(self, result: dict[str, Any]) -> list[str]:
        flaws = [item_writer.in_words(row) for row in result.get("flaws", [])]
        return [*flaws, *super().lines({key: value for key, value in result.items() if key != "flaws"})]
