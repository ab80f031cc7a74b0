"""Write a dataset to a file."""

from pathlib import Path
from typing import Any

from annotation.flow.exporting import export_dataset
from annotation.formats import FORMATS
from annotation.management.door import Door, dataset_named, project_of, slug


class Command(Door):
    help = "Write a dataset to a file in one of the formats that the field reads."

    def add(self, parser: Any) -> None:
        parser.add_argument("name", type=slug)
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")

    def act(self, **options: Any) -> dict[str, Any]:
        dataset = dataset_named(project_of(options), options["name"])
        return {"out": str(options["out"])} | export_dataset(dataset, options["out"], format=options["format"])
