"""Make datasets out of a dataset."""

from typing import Any

from annotation.derivations import DERIVATIONS
from annotation.flow.deriving import derive_dataset
from annotation.management.door import Door, dataset_named, pair, project_of, slug


class Command(Door):
    help = "Derive one dataset from another, with a report of what was kept and dropped, and its lineage."

    def add(self, parser: Any) -> None:
        parser.add_argument("source", type=slug)
        parser.add_argument("--how", required=True, choices=sorted(DERIVATIONS))
        parser.add_argument("--name", required=True, type=slug)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--option", action="append", type=pair, default=[], metavar="K=V", help="of the derivation")

    def act(self, **options: Any) -> dict[str, Any]:
        return derive_dataset(
            dataset_named(project_of(options), options["source"]),
            how=options["how"],
            name=options["name"],
            seed=options["seed"],
            options=dict(options["option"]),
            tell=self.teller("Derived"),
        )
