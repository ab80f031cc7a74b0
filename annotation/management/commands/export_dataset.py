"""Write a dataset to a file, and what goes beside it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.flow import documenting
from annotation.flow.exporting import export_dataset
from annotation.flow.parting import export_folder, wants_folder
from annotation.flow.splits import splits_of
from annotation.formats import FORMATS
from annotation.management.door import Door, dataset_named, project_of, slug
from annotation.models import Dataset


class Command(Door):
    help = "Write a dataset to a file in one of the formats that the field reads."

    def add(self, parser: Any) -> None:
        parser.add_argument("name", type=slug)
        parser.add_argument("--format", required=True, choices=sorted(FORMATS))
        parser.add_argument(
            "--out", required=True, type=Path, metavar="FILE", help="subqa: a folder, or a name without an ending"
        )
        parser.add_argument(
            "--provenance", type=Path, metavar="FILE", help="JSONL: how each item came to be, by its id"
        )
        parser.add_argument("--with-retired", action="store_true", help="retired items too (not for a folder)")
        parser.add_argument("--datasheet", type=Path, metavar="FILE", help="Markdown: counts, sources, people, lineage")
        parser.add_argument("--card", type=Path, metavar="FILE", help="dataset card for a hub: its README.md")

    def act(self, **options: Any) -> dict[str, Any]:
        given = [options[name] for name in ("out", "provenance", "datasheet", "card") if options[name]]
        if len({path.resolve() for path in given}) < len(given):
            self.usage("Two of the files are the same; give each its own.")
        dataset = dataset_named(project_of(options), options["name"])
        if wants_folder(options["out"], options["format"]):
            written = export_folder(dataset, options["out"], format=options["format"])
        else:
            retired = options["with_retired"]
            written = export_dataset(dataset, options["out"], format=options["format"], retired=retired)
        return {"out": str(options["out"])} | written | dict(_beside(dataset, **options))


def _beside(dataset: Dataset, **options: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """What was wished for beside the file, each with its own report."""
    provenance, sheet, card = (options[name] for name in ("provenance", "datasheet", "card"))
    if provenance:
        yield "provenance", {"file": str(provenance)} | documenting.export_provenance(dataset, provenance)
    if sheet:
        yield "datasheet", {"file": str(sheet)} | documenting.export_datasheet(dataset, sheet)
    if card:
        files, beside = files_of(dataset, options["out"]), sheet.name if sheet else ""
        yield "card", {"file": str(card)} | documenting.export_card(dataset, card, files=files, beside=beside)


def files_of(dataset: Dataset, out: Path) -> dict[str, str]:
    """The file of each split: the others' are named like this one's where its name holds the dataset's."""
    splits = splits_of(dataset)
    if dataset.slug in out.name:
        return {split: out.name.replace(dataset.slug, row.slug) for split, row in splits.items()}
    return {split: out.name for split, row in splits.items() if row.slug == dataset.slug}
