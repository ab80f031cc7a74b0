"""A dataset's ancestors and descendants, for its page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import RESULTS
from annotation.flow.data.lineage import Family, Origin
from annotation.models import Batch, Dataset
from annotation.pure.setting_fields import settings_of


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
