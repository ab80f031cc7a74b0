"""Create a dataset with the gold that was corrected in a batch."""

from typing import Any

from annotation.flow.review.gold_in_doubt import correct
from annotation.management.json_command import JSONCommand, batch_named, dataset_named, project_of, slug


class Command(JSONCommand):
    help = "Create a corrected copy of a dataset from the decisions on gold in doubt in a batch."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("--dataset", required=True, type=slug, help="a dataset of the batch")
        parser.add_argument("--name", required=True, type=slug, help="name of the new dataset")

    def act(self, **options: Any) -> dict[str, Any]:
        project = project_of(options)
        batch, dataset = batch_named(project, options["batch"]), dataset_named(project, options["dataset"])
        return correct(batch, dataset, name=options["name"], progress=self.progress_printer("records"))
