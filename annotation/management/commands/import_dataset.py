"""Import a file, or a dataset of the Hugging Face Hub, as a new dataset."""

from pathlib import Path
from shlex import quote
from typing import Any

from annotation.flow.data import item_writer
from annotation.flow.data.dataset_import import Unmapped, import_dataset, recognised, suggestion
from annotation.flow.data.hub_import import HubSplit, fetched, import_from_hub
from annotation.flow.errors import Refused
from annotation.formats import FORMATS
from annotation.management.json_command import JSONCommand, existing, project_of, slug, words
from annotation.models import Project
from annotation.pure.data.column_mapping import NONE, ROLES, BadMapping, ColumnMapping
from annotation.pure.data.hub_layout import PREFIX

SUGGEST = "suggest"


class Command(JSONCommand):
    help = "Import a file, a folder of files or a dataset of the Hugging Face Hub as a new dataset. All or nothing."

    def add(self, parser: Any) -> None:
        parser.add_argument(
            "file", type=existing_or_hub, metavar="FILE", help="a file, a folder, or hf:OWNER/NAME[@REVISION]"
        )
        parser.add_argument("--format", default="", choices=sorted(FORMATS), help="default: recognised")
        parser.add_argument("--name", type=slug, help="of the new dataset; not needed for --map suggest")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="ROLE=COLUMN",
            help="for columns of no known format, one --map each: "
            f"{', '.join(ROLES)}. passage_* are all numbered columns; data.text is a field of an object, ctxs[].text "
            "of each object in a list. --map none keeps all columns as additional data, such as for the task rate. "
            "--map suggest prints a suggestion and imports nothing.",
        )
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
        if (options["config"] or options["split"]) and not isinstance(file, str):
            self.usage("--config and --split are for datasets of the Hub: write hf:OWNER/NAME instead of a file.")
        if options["map"] == [SUGGEST]:
            return self._suggestion(project, file, options)
        if not options["name"]:
            self.usage("Give the new dataset a name: --name NAME.")
        wanted = ("format", "name", "aliases", "licence", "source", "dry_run", "skip_bad")
        terms = {name: options[name] for name in wanted} | {"progress": self.progress_printer("Read")}
        terms["mapping"] = self._mapping(options)
        try:
            if isinstance(file, str):
                return import_from_hub(project, HubSplit.of(file, options["config"], options["split"]), **terms)
            terms["format"] = "jsonl" if terms["mapping"] else recognised(file, file.name, wanted=terms["format"])
            return import_dataset(project, file, **terms)
        except Unmapped as unmapped:
            words = unmapped.mapping.words() if unmapped.mapping else []
            flags = " ".join(f"--map {quote(word)}" for word in words or [NONE])
            raise Refused(f"{unmapped} For example: {flags}") from None

    def _mapping(self, options: dict[str, Any]) -> ColumnMapping | None:
        if options["map"] and (options["format"] or options["aliases"]):
            self.usage("--map is for files in no known format: leave out --format and --aliases.")
        try:
            return ColumnMapping.of_words(options["map"]) if options["map"] else None
        except BadMapping as bad:
            return self.usage(f"--map: {bad}")

    def _suggestion(self, project: Project, file: Path | str, options: dict[str, Any]) -> dict[str, Any]:
        if isinstance(file, Path):
            return suggestion(project, file)
        split = HubSplit.of(file, options["config"], options["split"])
        with fetched(split, limit=None, anonymous=False, progress=self.progress_printer("Read")) as (path, _, _):
            return suggestion(project, path)

    def lines(self, result: dict[str, Any]) -> list[str]:
        if "suggested" in result:
            return [f"--map {quote(word)}" for word in result["suggested"]] + _missing(result) + _kept(result["unused"])
        if result.get("already_there"):
            return ["Nothing to do: this file is already imported under this name."]
        if "read" not in result:
            return []
        counts = "{read} records read, {accepted} accepted, {skipped} skipped, {warnings} warnings."
        flaws = [item_writer.in_words(row) for row in result["flaws"]]
        shown = sum(1 + row.get("more", 0) for row in result["flaws"])
        hidden = result["errors"] + result["warnings"] - shown
        more = [f"... and {hidden} more."] if hidden > 0 else []
        return [*flaws, *more, *_kept(result.get("kept", [])), *_from_hub(result), counts.format(**result)]


def existing_or_hub(text: str) -> Path | str:
    """Parse the path of a readable file or folder; a name on the Hub stays as it is."""
    return text if text.startswith(PREFIX) else existing(text)


def _missing(result: dict[str, Any]) -> list[str]:
    asks = any(word.startswith(("question=", "hop_question=")) for word in result["suggested"])
    return [] if asks else ["No column looks like the questions. Say which: --map question=COLUMN, or do without"]


def _kept(names: list[str]) -> list[str]:
    return [f"Kept as they are: {', '.join(names)}"] if names else []


def _from_hub(result: dict[str, Any]) -> list[str]:
    line = "From {repository} on the Hub, config {config}, split {split}, at revision {revision}."
    return [line.format(**result["hub"])] if "hub" in result else []
