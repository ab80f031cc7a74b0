"""Read a file into a new dataset."""

from typing import Any

from annotation.flow.importing import import_dataset
from annotation.formats import FORMATS
from annotation.formats.base import ended
from annotation.management.door import Door, existing, project_of, slug, words


class Command(Door):
    help = "Read a file (for race and subqa also a folder) into a new dataset. All or nothing."

    def add(self, parser: Any) -> None:
        parser.add_argument("file", type=existing)
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument("--name", required=True, type=slug)
        parser.add_argument(
            "--aliases", type=existing, metavar="FILE", help="2wikimultihopqa: other names of answers (id_aliases.json)"
        )
        parser.add_argument("--licence", type=words(200), default="")
        parser.add_argument("--source", type=words(500), default="", metavar="URL")
        parser.add_argument("--dry-run", action="store_true", help="check the file, store nothing")
        parser.add_argument("--skip-bad", action="store_true", help="store the good records, report the others")

    def act(self, **options: Any) -> dict[str, Any]:
        wanted = ("format", "name", "aliases", "licence", "source", "dry_run", "skip_bad")
        return import_dataset(
            project_of(options), options["file"], tell=self.teller("Read"), **{k: options[k] for k in wanted}
        )

    def lines(self, result: dict[str, Any]) -> list[str]:
        if result.get("already_there"):
            return ["Nothing to do: this dataset holds the same file already."]
        if "read" not in result:
            return []
        counts = "{read} records read, {accepted} accepted, {skipped} skipped, {warnings} warnings."
        flaws = [
            f"{f['severity']}: {f['place']}{' (id ' + f['record_id'] + ')' if f['record_id'] else ''}, "
            f"{f['field']}: {ended(f['wrong'])} {ended(f['fix'])}"
            for f in result["flaws"]
        ]
        hidden = result["errors"] + result["warnings"] - len(flaws)
        more = [f"... and {hidden} more."] if hidden > 0 else []
        return [*flaws, *more, counts.format(**result)]
