"""Make a version of a dataset with the gold that was corrected in a batch."""

from typing import Any

from annotation.flow.doubting import correct
from annotation.management.door import Door, batch_named, dataset_named, project_of, slug


class Command(Door):
    help = "Make a version of a dataset with the gold that was decided on in a batch."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("--dataset", required=True, type=slug, help="one of the batch's")
        parser.add_argument("--name", required=True, type=slug, help="of the new dataset")

    def act(self, **options: Any) -> dict[str, Any]:
        project = project_of(options)
        batch, dataset = batch_named(project, options["batch"]), dataset_named(project, options["dataset"])
        return correct(batch, dataset, name=options["name"], tell=self.teller("records"))
