"""Ancestors and descendants of a dataset, from the lineages of its relatives; and its splits, which belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import RESULTS
from annotation.derivations.contexts import names_in
from annotation.flow.errors import Refused
from annotation.flow.lists import ListFilter
from annotation.formats import FORMATS
from annotation.models import Batch, Dataset, GroupPart, Project
from annotation.pure.setting_fields import setting
from annotation.registry import task_type


@dataclass(frozen=True)
class DatasetFilter(ListFilter):
    """Filters of datasets."""

    q: str = setting("", label=gettext_noop("Search"), help="Text in the name.", length=100, column="slug__icontains")
    format: str = setting(
        "",
        help="The name of a file format, such as `musique` or `jsonl`.",
        choices={name: name for name in sorted(FORMATS)},
        installed=True,
        column="format",
    )
    how: str = setting("", label=gettext_noop("Derivation"), help="The derivation that made it.", length=60)

    def narrow(self, project: Project, rows: QuerySet[Dataset]) -> QuerySet[Dataset]:
        if self.how:
            made = [pk for pk, lineage in rows.values_list("pk", "lineage") if lineage.get("how") == self.how]
            rows = rows.filter(pk__in=made)
        return super().narrow(project, rows)


@dataclass(slots=True)
class Origin:
    """A dataset in its family. `dataset` is None if it was deleted."""

    name: str
    dataset: Dataset | None
    children: list[Origin] = field(default_factory=list)

    @property
    def lineage(self) -> dict[str, Any]:
        return self.dataset.lineage if self.dataset else {}


class Family:
    """The datasets of a project by name, and which was made of which."""

    def __init__(self, project: Project) -> None:
        columns = ("slug", "size", "lineage", "format", "created_at")
        rows = Dataset.objects.whole().filter(project=project).only(*columns).order_by("created_at", "pk")
        self._rows = {row.slug: row for row in rows}
        self._children: dict[str, list[str]] = {}
        for row in self._rows.values():
            for name in sources_of(row):
                self._children.setdefault(name, []).append(row.slug)

    def __iter__(self) -> Iterator[Dataset]:
        return iter(self._rows.values())

    def above(self, dataset: Dataset) -> list[list[Origin]]:
        """Ancestors, oldest first; of several parents the line continues with the first."""
        line: list[list[Origin]] = []
        names = sources_of(dataset)
        while names and names[0] not in {each.name for level in line for each in level}:
            line.insert(0, [Origin(name, self._rows.get(name)) for name in names])
            names = sources_of(self._rows[names[0]]) if names[0] in self._rows else []
        return line

    def below(self, dataset: Dataset) -> list[Origin]:
        """Descendants, as a tree."""
        return self._below(dataset.slug, {dataset.slug})

    def _below(self, name: str, seen: set[str]) -> list[Origin]:
        found = []
        for child in self._children.get(name, []):
            if child not in seen:
                found.append(Origin(child, self._rows[child], self._below(child, seen | {child})))
        return found

    def nearest(self, dataset: Dataset, how: str) -> str:
        """The name of the nearest dataset above, or of this one, that was made in this way; "" if none."""
        above = [each.dataset for level in reversed(self.above(dataset)) for each in level]
        line = [dataset, *(each for each in above if each)]
        return next((each.slug for each in line if each.lineage.get("how") == how), "")

    def made_of(self, dataset: Dataset, how: str) -> str:
        """The name of the newest dataset derived from `dataset` by `how`; "" if none."""
        made = [self._rows[name] for name in self._children.get(dataset.slug, [])]
        return next((each.slug for each in reversed(made) if each.lineage.get("how") == how), "")


def store_origins(batch: Batch) -> None:
    """Store in the batch where its questions come from (`Batch.source_batches`, `Batch.has_group_parts`)."""
    datasets = list(batch.datasets.all())
    roots = {dataset.root_id or dataset.pk for dataset in datasets}
    batch.has_group_parts = GroupPart.objects.filter(root__in=roots).exists()
    Batch.objects.filter(pk=batch.pk).update(has_group_parts=batch.has_group_parts)
    batch.source_batches.set(_source_batches(batch.project, datasets))


def _source_batches(project: Project, datasets: Iterable[Dataset]) -> list[Batch]:
    """The batches in which workers wrote questions of these datasets or of their ancestors."""
    family = {each.slug: each for each in Family(project)}
    names, batches, line = set[str](), set[str](), list(datasets)
    while line:
        dataset = line.pop()
        if dataset.lineage.get("how") == RESULTS:
            batches.add(str(dataset.lineage.get("batch", "")))
        above = [name for name in sources_of(dataset) if name in family and name not in names]
        names.update(above)
        line += [family[name] for name in above]
    rows = Batch.everything.filter(project=project, slug__in=batches) if batches else []
    return [row for row in rows if task_type(row.task).writes_questions]


def is_for_hidden_gold(dataset: Dataset) -> bool:
    """Whether the dataset can only be used as hidden gold, such as one with altered facts."""
    made = DERIVATIONS.get(dataset.lineage.get("how", ""))
    return made is not None and made.is_for_hidden_gold


def refuse_hidden_gold(datasets: Iterable[Dataset]) -> None:
    """Raise Refused if one of the datasets can only be used as hidden gold."""
    text = _(
        "%(name)s contains altered facts, so it can only be used as hidden gold. It cannot be exported, and no dataset "
        "can be derived from it."
    )
    for dataset in datasets:
        if is_for_hidden_gold(dataset):
            raise Refused(text % {"name": dataset.slug})


def is_altered(dataset: Dataset) -> bool:
    """Whether it comes from a derivation that shows less, or something else, than its source."""
    hows = [how for how, each in DERIVATIONS.items() if each.alters]
    family = Family(dataset.project) if dataset.lineage else None
    return family is not None and any(family.nearest(dataset, how) for how in hows)


def sources_of(dataset: Dataset) -> list[str]:
    """Names of the datasets that it was made of; none for an imported one."""
    source = dataset.lineage.get("source", [])
    return [source] if isinstance(source, str) else [str(each) for each in source]


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
