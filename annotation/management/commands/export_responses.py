"""Export the responses of a batch to a file."""

from pathlib import Path
from typing import Any

from annotation.flow.review import result_files
from annotation.management.json_command import JSONCommand, batch_named, project_of, slug


class Command(JSONCommand):
    help = "Export every revision of every response of a batch, with pseudonyms, times and versions."

    def add(self, parser: Any) -> None:
        parser.add_argument("batch", type=slug)
        parser.add_argument("--format", required=True, choices=sorted(result_files.MEDIA))
        parser.add_argument(
            "--ids-only", action="store_true", help="leave out question, gold, score, hops, shape, pair"
        )
        parser.add_argument("--long", action="store_true", help="of ratings: a row for each criterion and element")
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")

    def act(self, **options: Any) -> dict[str, Any]:
        batch = batch_named(project_of(options), options["batch"])
        what = {name: options[name] for name in ("format", "ids_only", "long")}
        return {"out": str(options["out"])} | result_files.export(batch, options["out"], **what)
