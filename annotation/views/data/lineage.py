"""A dataset's ancestors and descendants; the graph of a project's datasets and batches, as a picture and as a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import RESULTS
from annotation.flow.data.lineage import Family, Origin, sources_of
from annotation.flow.review.gold_in_doubt import HOW as CORRECTED
from annotation.models import Batch, Dataset, Project
from annotation.pure.data import family_drawing
from annotation.pure.data.family_drawing import Node as DrawnNode
from annotation.pure.setting_fields import settings_of
from annotation.templatetags.language_tags import in_language


@dataclass(frozen=True, slots=True)
class Step:
    """The step that made a dataset. `options`: only values that differ from the defaults; `batch`: a batch's name."""

    title: str
    options: list[tuple[str, str]] = field(default_factory=list)
    seed: int | None = None
    version: str = ""
    batch: str = ""
    batch_title: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A dataset in its family; `size` is None if it was deleted.

    `then`: a chain of single descendants; `children`: the datasets made from the last one in the chain.
    """

    name: str
    size: int | None
    step: Step | None
    then: list[Node] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)


def ancestry(dataset: Dataset) -> dict[str, Any]:
    """{"above": levels of Nodes, oldest first, "self": its Node}; {} without relatives."""
    family = Family(dataset.project)
    above, below = family.above(dataset), family.below(dataset)
    if not above and not below:
        return {}
    batches = dict(Batch.objects.filter(project=dataset.project).values_list("slug", "title"))
    return {
        "above": [[_node(each, batches) for each in level] for level in above],
        "self": _node(Origin(dataset.slug, dataset, below), batches),
    }


def derived_from(dataset: Dataset) -> str:
    """A dataset's sources and derivation in one line; "" for an imported dataset."""
    source = dataset.lineage.get("source", [])
    names = ", ".join([source] if isinstance(source, str) else source)
    step = step_of(dataset.lineage, {})
    return f"{names} · {step.title}" if step else ""


def _node(origin: Origin, batches: dict[str, str]) -> Node:
    then, last = [], origin
    while len(last.children) == 1:
        last = last.children[0]
        then.append(Node(last.name, last.dataset.size if last.dataset else None, step_of(last.lineage, batches)))
    children = [_node(each, batches) for each in last.children]
    size = origin.dataset.size if origin.dataset else None
    return Node(origin.name, size, step_of(origin.lineage, batches), then, children)


def step_of(lineage: dict[str, Any], batches: dict[str, str]) -> Step | None:
    """The step of a lineage; None for an imported dataset."""
    how = lineage.get("how", "")
    if how == RESULTS:
        name = str(lineage.get("batch", ""))
        title = _("Created from the results of a batch")
        return Step(title, version=lineage.get("version", ""), batch=name, batch_title=batches.get(name, ""))
    if not how:
        return None
    way = DERIVATIONS.get(how)
    title, options = (_(way.title), _options(how, lineage)) if way else (how, [])
    return Step(title, options, lineage.get("seed"), lineage.get("version", ""))


def _options(how: str, lineage: dict[str, Any]) -> list[tuple[str, str]]:
    chosen, files = lineage.get("options", {}), lineage.get("files", {})
    words, options = {True: _("yes"), False: _("no")}, []
    for each in settings_of(DERIVATIONS[how].Options).values():
        value = chosen.get(each.name, each.default)
        if value != each.default:
            text = words[value] if isinstance(value, bool) else str(files.get(each.name, value))
            options.append((_(each.label), text))
    return options


MOST_NODES = 200  # datasets, and batches, in one picture


def family_of(project: Project) -> dict[str, Any] | None:
    """{"picture", "links" {key: URL}, "rows" [{"made", "how", "of"}]}; None for a project without datasets."""
    columns = ("project", "slug", "size", "lineage", "created_at")
    own = project.datasets.whole().exclude(batches__by_program=True)
    datasets = {row.slug: row for row in own.only(*columns).order_by("created_at", "pk")[:MOST_NODES]}
    if not datasets:
        return None
    present = Batch.objects.filter(project=project, by_program=False)
    through = Batch.datasets.through.objects.filter(batch__in=present)
    named = ("batch__slug", "batch__title", "dataset__slug")
    unproductive: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for slug, title, dataset in through.order_by("-batch__created_at", "batch")[: 3 * MOST_NODES].values_list(*named):
        unproductive.setdefault(slug, []).append(dataset)
        titles[slug] = in_language(title)
    return _Family(project, datasets, unproductive, titles).exhibit()


class _Family:
    def __init__(
        self,
        project: Project,
        datasets: Mapping[str, Dataset],
        unproductive: Mapping[str, Sequence[str]],
        titles: Mapping[str, str],
    ) -> None:
        self.project, self.datasets, self.unproductive, self.titles = project, datasets, unproductive, titles
        self.nodes: dict[str, DrawnNode] = {}
        self.links: dict[str, str] = {}
        self.edges: list[tuple[str, str]] = []
        self.rows: list[dict[str, Any]] = []

    def exhibit(self) -> dict[str, Any]:
        for slug, row in self.datasets.items():
            self._put(_dataset(slug), family_drawing.DATASET, slug, _items(row.size), "dataset", slug)
        for slug, row in self.datasets.items():
            self._made(slug, row)
        self._fruitless({str(row.lineage.get("batch")) for row in self.datasets.values()})
        picture = family_drawing.draw(list(self.nodes.values()), self.edges)
        return {"picture": picture, "links": self.links, "rows": self.rows}

    def _put(self, key: str, kind: str, label: str, note: str = "", page: str = "", *args: str) -> str:
        if key not in self.nodes:
            self.nodes[key] = DrawnNode(key, kind, label, note)
            if page:
                self.links[key] = reverse(page, args=[self.project.slug, *args])
        return key

    def _made(self, slug: str, row: Dataset) -> None:
        """Add the step by which a dataset was made: from datasets, or from a batch."""
        sources = sources_of(row)
        how = _how(row.lineage)
        above = [self._source(name) for name in sources]
        batch = str(row.lineage.get("batch", "")) if row.lineage.get("how") == RESULTS else ""
        if batch:
            between = self._batch(batch)
            self.edges += [(source, between) for source in above] + [(between, _dataset(slug))]
            how = _("created from %(batch)s") % {"batch": self.titles.get(batch, batch)}
        else:
            self.edges += [(source, _dataset(slug)) for source in above]
        url, size = self.links[_dataset(slug)], _items(row.size)
        self.rows.append({"made": slug, "url": url, "size": size, "how": how, "of": sources})

    def _source(self, slug: str) -> str:
        if slug in self.datasets:
            return _dataset(slug)
        return self._put(_dataset(slug), family_drawing.GONE, slug, _("gone"))

    def _batch(self, slug: str) -> str:
        page = ("batch", slug) if slug in self.titles else ()
        return self._put(f"batch:{slug}", family_drawing.BATCH, self.titles.get(slug, slug), "", *page)

    def _fruitless(self, productive: Iterable[str]) -> None:
        """Add batches without resulting datasets; many of the same datasets as one."""
        folded = family_drawing.fold(self.unproductive, productive)
        hidden = {slug for slugs in folded.values() for slug in slugs}
        for slug, datasets in self.unproductive.items():
            if slug not in hidden:
                self._below(self._batch(slug), datasets)
        for datasets, slugs in folded.items():
            label = ngettext("%(n)s batch", "%(n)s batches", len(slugs)) % {"n": len(slugs)}
            self._below(self._put(f"batches:{slugs[0]}", family_drawing.BATCHES, label, "", "batches"), datasets)

    def _below(self, key: str, datasets: Sequence[str]) -> None:
        wanted = [(_dataset(name), key) for name in datasets if name in self.datasets]
        self.edges += [edge for edge in wanted if edge not in self.edges]


def _items(size: int) -> str:
    return ngettext("%(n)s item", "%(n)s items", size) % {"n": size}


def _dataset(slug: str) -> str:
    return f"dataset:{slug}"


def _how(lineage: Mapping[str, Any]) -> str:
    how = str(lineage.get("how", ""))
    if how == CORRECTED:
        return _("gold corrected")
    if not how:
        return _("imported")
    return _(DERIVATIONS[how].title) if how in DERIVATIONS else how
