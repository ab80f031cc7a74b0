"""Write a dataset, its provenance and its documents to files, or push them to the Hugging Face Hub."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.flow.data.dataset_files import export_dataset, export_folder, wants_folder
from annotation.flow.data.lineage import splits_of
from annotation.flow.reports import dataset_documents
from annotation.flow.reports.hub_push import Push, push
from annotation.formats import FORMATS
from annotation.management.json_command import JSONCommand, dataset_named, project_of, slug
from annotation.models import Dataset

OF_A_PUSH = ("format", "public", "without_gold", "with_gold")
OF_FILES = ("provenance", "datasheet", "card", "with_archived")


class Command(JSONCommand):
    help = "Write a dataset to a file in a standard format, or push it to the Hugging Face Hub."

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("name", type=slug)
        add("--format", required=True, choices=sorted(FORMATS))
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--out", type=Path, metavar="FILE", help="subqa: a folder, or a name without an ending")
        where.add_argument(
            "--push", metavar="hf:OWNER/NAME", help="data, card, datasheet and provenance, in one commit"
        )
        add("--provenance", type=Path, metavar="FILE", help="JSONL: the provenance of each item, by its id")
        add("--with-archived", "--with-retired", action="store_true", help="include archived items (not for a folder)")
        add("--datasheet", type=Path, metavar="FILE", help="Markdown: counts, sources, annotators, lineage")
        add("--card", type=Path, metavar="FILE", help="dataset card for the Hugging Face Hub (README.md)")
        add("--dry-run", action="store_true", help="push: list the files and send nothing")
        add("--check", action="store_true", help="push --dry-run: ask the Hub what is there already")
        add("--public", action="store_true", help="push: a new repository is private without this")
        add("--without-gold", action="append", default=[], metavar="SPLIT", help="push: keep this split's gold back")
        add("--with-gold", action="append", default=[], metavar="SPLIT", help="push: publish gold kept back so far")

    def act(self, **options: Any) -> dict[str, Any]:
        self._refuse_mixtures(options)
        if options["push"]:
            wanted = Push(options["push"], **{name: options[name] for name in OF_A_PUSH})
            return push(
                dataset_named(project_of(options), options["name"]),
                wanted,
                dry_run=options["dry_run"],
                check=options["check"],
            )
        given = [options[name] for name in ("out", "provenance", "datasheet", "card") if options[name]]
        if len({path.resolve() for path in given}) < len(given):
            self.usage("Two options name the same file; give each its own.")
        dataset = dataset_named(project_of(options), options["name"])
        if wants_folder(options["out"], options["format"]):
            written = export_folder(dataset, options["out"], format=options["format"])
        else:
            archived = options["with_archived"]
            written = export_dataset(dataset, options["out"], format=options["format"], archived=archived)
        return {"out": str(options["out"])} | written | dict(_documents(dataset, **options))

    def _refuse_mixtures(self, options: dict[str, Any]) -> None:
        """Options of files without --out, or of a push without --push."""
        others = OF_FILES if options["push"] else ("dry_run", "check", *OF_A_PUSH[1:])
        if wrong := next((name for name in others if options[name]), ""):
            place = "--out" if options["push"] else "--push"
            self.usage(f"--{wrong.replace('_', '-')} goes with {place} only.")
        if options["check"] and not options["dry_run"]:
            self.usage("--check goes with --dry-run only.")

    def lines(self, result: dict[str, Any]) -> list[str]:
        return _pushed(result) if "repository" in result else super().lines(result)


def _pushed(result: dict[str, Any]) -> list[str]:
    """What was pushed, or would be: a line for each file."""
    asked = "new" in result
    kind = (
        f" ({'new' if result['new'] else 'existing'}, {'private' if result['private'] else 'public'})" if asked else ""
    )
    lines = [f"{result['repository']}{kind}"]
    lines += [f"  {row.get('change', ''):9} {row['path']}  {row['size']:,} bytes" for row in result["files"]]
    lines += [f"The gold of {name} stays back." for name in result["without_gold"]]
    if result.get("dry_run"):
        hint = "" if asked else " Add --check to compare with what is there."
        return [*lines, f"Nothing was sent.{hint} Leave out --dry-run to push."]
    return [*lines, f"Commit {result['commit']}: {result['url']}"]


def _documents(dataset: Dataset, **options: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Write the other requested files, and return a report for each."""
    provenance, sheet, card = (options[name] for name in ("provenance", "datasheet", "card"))
    if provenance:
        yield "provenance", {"file": str(provenance)} | dataset_documents.export_provenance(dataset, provenance)
    if sheet:
        yield "datasheet", {"file": str(sheet)} | dataset_documents.export_datasheet(dataset, sheet)
    if card:
        files, datasheet = files_of(dataset, options["out"]), sheet.name if sheet else ""
        written = dataset_documents.export_card(dataset, card, files=files, datasheet=datasheet)
        yield "card", {"file": str(card)} | written


def files_of(dataset: Dataset, out: Path) -> dict[str, str]:
    """The file of each split, named like this dataset's file with the dataset's name replaced."""
    splits = splits_of(dataset)
    if dataset.slug in out.name:
        return {split: out.name.replace(dataset.slug, row.slug) for split, row in splits.items()}
    return {split: out.name for split, row in splits.items() if row.slug == dataset.slug}
