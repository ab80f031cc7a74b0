"""Create a dataset from the results of a batch."""

from typing import Any

from annotation.flow.review.results_dataset import create_results_dataset
from annotation.management.json_command import JSONCommand, batch_named, project_of, slug


class Command(JSONCommand):
    help = "Create a dataset from the results of a batch, with the provenance of every item."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("--name", required=True, type=slug, help="name of the new dataset")
        parser.add_argument(
            "--least",
            type=int,
            default=0,
            help="keep an item only if at least this many responses agree (default: 0, all)",
        )

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["batch"])
        return create_results_dataset(
            batch, name=options["name"], least=options["least"], progress=self.progress_printer("HITs")
        )
