"""Make a dataset of a batch's verdicts."""

from typing import Any

from annotation.flow.gathering import gather_dataset
from annotation.management.door import Door, batch_named, project_of, slug


class Command(Door):
    help = "Make a dataset of a batch's verdicts, with the provenance of every item."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("--name", required=True, type=slug, help="of the new dataset")
        parser.add_argument("--least", type=int, default=0, help="answers that must say what the verdict says")

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["batch"])
        return gather_dataset(batch, name=options["name"], least=options["least"], tell=self.teller("HITs"))
