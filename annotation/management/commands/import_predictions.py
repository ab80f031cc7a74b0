"""Import a model's predictions on a dataset."""

from typing import Any

from annotation.flow.reports.batch_scores import import_predictions
from annotation.management.json_command import JSONCommand, dataset_named, existing, project_of, slug, words
from annotation.pure.reports.baselines import SHOWN
from annotation.scorers import READERS


class Command(JSONCommand):
    help = "Import a model's predictions on a dataset, so that reports compare them with human scores."

    def add(self, parser: Any) -> None:
        parser.add_argument("name", type=slug)
        parser.add_argument("file", type=existing)
        parser.add_argument("--format", required=True, choices=sorted(READERS))
        parser.add_argument("--model", required=True, type=words(200))
        shown = "what the model was shown, of a baseline without multihop reasoning; by default the items as they are"
        parser.add_argument("--shown", default="", choices=sorted(SHOWN), help=shown)

    def act(self, **options: Any) -> dict[str, Any]:
        dataset = dataset_named(project_of(options), options["name"])
        terms = {"format": options["format"], "model": options["model"], "shown": options["shown"]}
        return import_predictions(dataset, options["file"], progress=self.progress_printer("Predictions"), **terms)
