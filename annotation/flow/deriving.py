"""Datasets made out of datasets: reported, reproducible, and with their lineage."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, fields
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.utils.translation import gettext as _

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive, Derivation, Tally
from annotation.flow.filling import (
    CHUNK,
    Filler,
    ImportRefused,
    Told,
    already_there,
    group_key,
    remove_dataset,
    reserve,
    silent,
)
from annotation.flow.refusal import Refused
from annotation.models import Dataset, User
from annotation.models.fields import to_text
from annotation.pure.example import Example


class StoredSource:
    """A whole dataset as derivations see it (annotation.derivations.base.Source)."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        first = dataset.root or dataset  # the dataset that was imported, whose format the records came in
        self.name, self.format, self.size = dataset.slug, first.format, dataset.size
        self._keys: dict[str, str] = {}

    def examples(self) -> Iterator[Example]:
        rows = self._dataset.items.order_by("position").values_list("content", "group_key")
        for content, key in rows.iterator(chunk_size=200):
            example = Example.from_json(content)
            if key != self._usual(group := example.group or example.id):
                self._keys[group] = key
            yield example

    def key_of(self, example: Example) -> str:
        """The group key of the source's items of this group, where it is not the usual one; "" otherwise."""
        return self._keys.get(example.group or example.id, "")

    def _usual(self, group: str) -> str:
        return group_key(self._dataset.root_id or self._dataset.pk, group)

    def other(self, name: str) -> StoredSource:
        found = Dataset.objects.whole().filter(project=self._dataset.project_id, slug=name).first()
        if found is None:
            raise CannotDerive(f"there is no dataset {name!r} in the project")
        return StoredSource(found)


def derive_dataset(
    source: Dataset,
    *,
    how: str,
    name: str,
    seed: int = 0,
    options: dict[str, Any] | None = None,
    user: User | None = None,
    tell: Told = silent,
) -> dict[str, Any]:
    """Make the datasets that `how` makes out of `source`, named `name` (and what `how` puts behind it).

    Returns {"datasets": {name: size}, "read", "kept", "dropped", "figures"}. The same wish again changes
    nothing; raises Refused, leaving nothing behind, for an option that does not fit or a name that is taken.
    """
    derivation = DERIVATIONS[how]
    wish = _options(derivation, options or {})
    lineage = {"source": source.slug, "how": how, "options": asdict(wish), "seed": seed, "version": code_version()}
    digest = hashlib.sha256(to_text([source.sha256, lineage]).encode()).hexdigest()
    names = [f"{name}{output}" for output in derivation.outputs]
    there = [already_there(source.project, each, digest, "jsonl") for each in names]
    if all(there):
        return {"datasets": _sizes(source, names), "already_there": True}
    fillers = _reserve(source, names, sha256=digest, lineage=lineage, created_by=user)
    by_output = dict(zip(derivation.outputs, fillers, strict=True))
    tally = Tally()
    try:
        _fill(derivation, StoredSource(source), by_output, tally, wish=wish, seed=seed, tell=tell)
        report = _report(tally)
        for filler in fillers:
            filler.show(report)
    except CannotDerive as cannot:
        _remove(fillers)
        raise Refused(_("%(how)s cannot be done: %(why)s") % {"how": how, "why": cannot}) from None
    except BaseException:
        _remove(fillers)
        raise
    return {"datasets": _sizes(source, names), **report}


def code_version() -> str:
    """The product's version, as a lineage names it."""
    try:
        return version("hopscribe")
    except PackageNotFoundError:
        return "0.1.0"


def _options(derivation: Derivation, given: dict[str, Any]) -> Any:
    known = {f.name: f for f in fields(derivation.Options)}
    for name, value in given.items():
        if name not in known:
            names = ", ".join(known) or _("none")
            raise Refused(
                _("%(how)s has no option %(name)s; it has: %(names)s.")
                % {"how": derivation.how, "name": name, "names": names}
            )
        kind = type(known[name].default)
        if type(value) is not kind and not (kind is float and type(value) is int):
            text = _("The option %(name)s takes %(kind)s, not %(value)s.")
            raise Refused(text % {"name": name, "kind": kind.__name__, "value": repr(value)})
    try:
        return derivation.Options(**given)
    except ValueError as unfit:
        raise Refused(str(unfit)) from None


def _reserve(source: Dataset, names: list[str], **columns: Any) -> list[Filler]:
    """An invisible dataset for each name; all or none."""
    fillers: list[Filler] = []
    kept = {"format": "jsonl", "licence": source.licence, "source": source.source, "root": source.root or source}
    try:
        for name in names:
            fillers.append(Filler(reserve(source.project, name, **kept, **columns)))
    except ImportRefused:
        _remove(fillers)
        raise
    return fillers


def _fill(
    derivation: Derivation,
    source: StoredSource,
    fillers: dict[str, Filler],
    tally: Tally,
    *,
    wish: Any,
    seed: int,
    tell: Told,
) -> None:
    for count, (output, example) in enumerate(derivation.derive(source, wish, seed=seed, tally=tally), 1):
        fillers[output].add(example, key=source.key_of(example))
        if count % CHUNK == 0:
            tell(tally.read, source.size)
    if not any(filler.size for filler in fillers.values()):
        dropped = ", ".join(f"{reason}: {count}" for reason, count in tally.dropped.most_common(5)) or "-"
        raise CannotDerive(_("nothing came out of it. Dropped: %(dropped)s") % {"dropped": dropped})
    for filler in fillers.values():
        filler.write()
    tell(source.size, source.size)


def _report(tally: Tally) -> dict[str, Any]:
    return {
        "read": tally.read,
        "kept": tally.kept,
        "dropped": dict(tally.dropped.most_common()),
        "figures": tally.figures,
    }


def _sizes(source: Dataset, names: list[str]) -> dict[str, int]:
    made = Dataset.objects.filter(project=source.project_id, slug__in=names)
    return dict(made.order_by("pk").values_list("slug", "size"))


def _remove(fillers: list[Filler]) -> None:
    for filler in fillers:
        remove_dataset(filler.dataset)
