"""Attach a model's predictions to a dataset."""

from typing import Any

from annotation.flow.scoring import import_predictions
from annotation.management.door import Door, dataset_named, existing, project_of, slug, words
from annotation.scorers import READERS


class Command(Door):
    help = "Attach a model's predictions to a dataset, so that reports show them beside people's answers."

    def add(self, parser: Any) -> None:
        parser.add_argument("name", type=slug)
        parser.add_argument("file", type=existing)
        parser.add_argument("--format", required=True, choices=sorted(READERS))
        parser.add_argument("--model", required=True, type=words(200))

    def act(self, **options: Any) -> dict[str, Any]:
        dataset = dataset_named(project_of(options), options["name"])
        tell = self.teller("Predictions")
        return import_predictions(dataset, options["file"], format=options["format"], model=options["model"], tell=tell)
