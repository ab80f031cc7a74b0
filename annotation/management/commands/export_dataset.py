"""Write a dataset, its provenance and its documents to files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.flow.data.dataset_files import export_dataset
from annotation.flow.data.multi_file_export import export_folder, wants_folder
from annotation.flow.data.splits import splits_of
from annotation.flow.reports import dataset_documents
from annotation.formats import FORMATS
from annotation.management.json_command import JSONCommand, dataset_named, project_of, slug
from annotation.models import Dataset


class Command(JSONCommand):
    help = "Write a dataset to a file in a standard format."

    def add(self, parser: Any) -> None:
        add = parser.add_argument
        add("name", type=slug)
        add("--format", required=True, choices=sorted(FORMATS))
        add("--out", required=True, type=Path, metavar="FILE", help="subqa: a folder, or a name without an ending")
        add("--provenance", type=Path, metavar="FILE", help="JSONL: the provenance of each item, by its id")
        add("--with-archived", "--with-retired", action="store_true", help="include archived items (not for a folder)")
        add("--datasheet", type=Path, metavar="FILE", help="Markdown: counts, sources, annotators, lineage")
        add("--card", type=Path, metavar="FILE", help="dataset card for the Hugging Face Hub (README.md)")

    def act(self, **options: Any) -> dict[str, Any]:
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
