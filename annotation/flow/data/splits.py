"""Splits that belong together: outputs of one derivation, and datasets made from each of them in the same way."""

from collections.abc import Iterator

from annotation.derivations import DERIVATIONS
from annotation.derivations.pooling import names_in
from annotation.flow.data.lineage import sources_of
from annotation.models import Dataset

HOW = "splits"
OUTPUTS = DERIVATIONS[HOW].outputs
ALIKE = ("how", "options", "seed")  # parts of a lineage that are equal if the same was done


def splits_of(dataset: Dataset) -> dict[str, Dataset]:
    """The dataset and its counterparts of the other splits, by split, in order."""
    found = _way_from_splits(dataset)
    if found is None:
        return {_own_name(dataset): dataset}
    split, steps = found
    made = {output[1:]: _made_alike(sister, steps) for output, sister in _sisters(split).items()}
    made[_own_name(split)] = dataset
    return {name: row for name, row in made.items() if row is not None}


def stem_of(dataset: Dataset) -> str:
    """The common name of the dataset's splits; of any other dataset its own name."""
    found = _way_from_splits(dataset)
    return found[0].slug.removesuffix(f"-{_own_name(found[0])}") if found else dataset.slug


def other_splits(dataset: Dataset) -> list[Dataset]:
    """The other splits of the derivation that the dataset is or was made from, ordered by name."""
    line = {row.slug: row for row in _line(dataset)}
    found = {sister.slug: sister for row in line.values() if _is_split(row) for sister in _sisters(row).values()}
    return [found[name] for name in sorted(found.keys() - line.keys())]


def _is_split(dataset: Dataset) -> bool:
    return dataset.lineage.get("how") == HOW and dataset.slug.endswith(OUTPUTS)


def _own_name(dataset: Dataset) -> str:
    """The split's name: "train", "dev" or "test"; of any other dataset its own name."""
    ends = next((output for output in OUTPUTS if dataset.slug.endswith(output)), "")
    return ends[1:] if _is_split(dataset) else dataset.slug


def _sisters(split: Dataset) -> dict[str, Dataset]:
    """The outputs of the derivation that made the split, itself included."""
    stem = split.slug.removesuffix(f"-{_own_name(split)}")
    rows = Dataset.objects.whole().filter(project=split.project_id, sha256=split.sha256).select_related("root")
    by_name = {row.slug: row for row in rows}
    return {output: by_name[stem + output] for output in OUTPUTS if stem + output in by_name}


def _way_from_splits(dataset: Dataset) -> tuple[Dataset, list[Dataset]] | None:
    """The split that the dataset was derived from, and the datasets in between; None if there is none."""
    steps: list[Dataset] = []
    row: Dataset | None = dataset
    while row is not None and not _is_split(row):
        steps.insert(0, row)
        source = row.lineage.get("source")
        row = _named(row, source) if row.lineage.get("how") in DERIVATIONS and isinstance(source, str) else None
    return None if row is None else (row, steps)


def _made_alike(split: Dataset, steps: list[Dataset]) -> Dataset | None:
    """The dataset made of the split by the same derivations, options and seeds."""
    rows = list(Dataset.objects.whole().filter(project=split.project_id).select_related("root").order_by("pk"))
    made: Dataset | None = split
    for step in steps:
        wanted = {part: step.lineage.get(part) for part in ALIKE} | {"source": made.slug if made else None}
        made = next((row for row in rows if {part: row.lineage.get(part) for part in wanted} == wanted), None)
    return made


def _line(dataset: Dataset) -> Iterator[Dataset]:
    """The dataset and all its ancestors, each once."""
    seen, waiting = {dataset.slug}, [dataset]
    while waiting:
        row = waiting.pop()
        yield row
        for name in _sources(row):
            if name not in seen and (found := _named(row, name)):
                seen.add(name)
                waiting.append(found)


def _sources(dataset: Dataset) -> list[str]:
    """Datasets whose questions it contains; not further ones that a join used."""
    joined = dataset.lineage.get("options", {}).get("others", "")
    return [*sources_of(dataset), *names_in(joined if isinstance(joined, str) else "")]


def _named(sibling: Dataset, name: str) -> Dataset | None:
    return Dataset.objects.whole().filter(project=sibling.project_id, slug=name).first()
