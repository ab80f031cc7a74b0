"""Import a file, or a dataset of the Hugging Face Hub, as a new dataset."""

from pathlib import Path
from typing import Any

from annotation.flow.data import line_errors
from annotation.flow.data.dataset_import import import_dataset, recognised
from annotation.flow.data.hub_import import HubSplit, import_from_hub
from annotation.formats import FORMATS
from annotation.management.json_command import JSONCommand, existing, project_of, slug, words
from annotation.pure.data.hub_layout import PREFIX


class Command(JSONCommand):
    help = "Import a file, a folder of files or a dataset of the Hugging Face Hub as a new dataset. All or nothing."

    def add(self, parser: Any) -> None:
        parser.add_argument(
            "file", type=existing_or_hub, metavar="FILE", help="a file, a folder, or hf:OWNER/NAME[@REVISION]"
        )
        parser.add_argument("--format", default="", choices=sorted(FORMATS), help="default: recognised")
        parser.add_argument("--name", required=True, type=slug)
        parser.add_argument(
            "--aliases", type=existing, metavar="FILE", help="2wikimultihopqa: aliases of answers (id_aliases.json)"
        )
        parser.add_argument("--licence", type=words(200), default="")
        parser.add_argument("--source", type=words(500), default="", metavar="URL")
        parser.add_argument("--config", default="", help="hf: the dataset's config, if it has several")
        parser.add_argument("--split", default="", help="hf: the split, if it has several; or a file")
        parser.add_argument("--dry-run", action="store_true", help="check the file and store nothing")
        parser.add_argument("--skip-bad", action="store_true", help="import valid records and report the others")

    def act(self, **options: Any) -> dict[str, Any]:
        file, project = options["file"], project_of(options)
        wanted = ("format", "name", "aliases", "licence", "source", "dry_run", "skip_bad")
        terms = {name: options[name] for name in wanted} | {"progress": self.progress_printer("Read")}
        if isinstance(file, str):
            return import_from_hub(project, HubSplit.of(file, options["config"], options["split"]), **terms)
        if options["config"] or options["split"]:
            self.usage("--config and --split are for datasets of the Hub: write hf:OWNER/NAME instead of a file.")
        terms["format"] = terms["format"] or recognised(file, file.name)
        return import_dataset(project, file, **terms)

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
        return [*flaws, *more, *_from_hub(result), counts.format(**result)]


def existing_or_hub(text: str) -> Path | str:
    """Parse the path of a readable file or folder; a name on the Hub stays as it is."""
    return text if text.startswith(PREFIX) else existing(text)


def _from_hub(result: dict[str, Any]) -> list[str]:
    line = "From {repository} on the Hub, config {config}, split {split}, at revision {revision}."
    return [line.format(**result["hub"])] if "hub" in result else []
