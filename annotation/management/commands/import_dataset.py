"""Import a file as a new dataset."""

from typing import Any

from annotation.flow.data import line_errors
from annotation.flow.data.dataset_import import import_dataset
from annotation.formats import FORMATS
from annotation.management.json_command import JSONCommand, existing, project_of, slug, words


class Command(JSONCommand):
    help = "Import a file (for race and subqa also a folder) as a new dataset. All or nothing."

    def add(self, parser: Any) -> None:
        parser.add_argument("file", type=existing)
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument("--name", required=True, type=slug)
        parser.add_argument(
            "--aliases", type=existing, metavar="FILE", help="2wikimultihopqa: aliases of answers (id_aliases.json)"
        )
        parser.add_argument("--licence", type=words(200), default="")
        parser.add_argument("--source", type=words(500), default="", metavar="URL")
        parser.add_argument("--dry-run", action="store_true", help="check the file and store nothing")
        parser.add_argument("--skip-bad", action="store_true", help="import valid records and report the others")

    def act(self, **options: Any) -> dict[str, Any]:
        wanted = ("format", "name", "aliases", "licence", "source", "dry_run", "skip_bad")
        terms = {name: options[name] for name in wanted}
        return import_dataset(project_of(options), options["file"], progress=self.progress_printer("Read"), **terms)

    def lines(self, result: dict[str, Any]) -> list[str]:
        if result.get("already_there"):
            return ["Nothing to do: this file is already imported under this name."]
        if "read" not in result:
            return []
        counts = "{read} records read, {accepted} accepted, {skipped} skipped, {warnings} warnings."
        flaws = [line_errors.in_words(row) for row in result["flaws"]]
        shown = sum(1 + row.get("more", 0) for row in result["flaws"])
        hidden = result["errors"] + result["warnings"] - shown
        more = [f"... and {hidden} more."] if hidden > 0 else []
        return [*flaws, *more, counts.format(**result)]
