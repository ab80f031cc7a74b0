"""Derived datasets: with a report and their lineage, and reproducible."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.derivations import DERIVATIONS
from annotation.derivations.base import CannotDerive, Derivation, Tally
from annotation.flow.data import item_editing, item_writer
from annotation.flow.data.item_writer import Filler, OnProgress, no_progress
from annotation.flow.data.lineage import is_for_hidden_gold, other_splits
from annotation.flow.errors import Refused
from annotation.flow.projects.job_queue import DerivationProgress
from annotation.flow.setting_values import read_options
from annotation.models import Dataset, Prediction, User
from annotation.models.fields import to_text
from annotation.pure.data.example import Example
from annotation.pure.net.progress import Tick, no_tick
from annotation.pure.setting_fields import settings_of
from annotation.pure.statistics.metrics import keeping_scorer

FORMAT = "jsonl"  # format of derived datasets


@dataclass
class _Read:
    """The example that was read last, of any dataset, and its item's group key."""

    example: Example | None = None
    key: str = ""
    format: str = ""


class StoredSource:
    """A stored dataset as derivations see it (annotation.derivations.base.Source)."""

    def __init__(self, dataset: Dataset, tick: Tick = no_tick, *, read: _Read | None = None) -> None:
        """Raises CannotDerive for a dataset that is for hidden gold only."""
        if is_for_hidden_gold(dataset):
            wrong = f"{dataset.slug} contains altered facts and is for hidden gold only"
            raise CannotDerive(f"{wrong}. Choose another dataset")
        self._dataset, self._tick = dataset, tick
        self._read = read or _Read()
        first = dataset.root or dataset  # the imported dataset, whose format decides on the scorer
        self.name, self.origin, self.format, self.size = dataset.slug, first.slug, first.format, dataset.size
        self._keys: dict[str, str] = {}

    def examples(self) -> Iterator[Example]:
        rows = self._dataset.items.usable().order_by("position").values_list("content", "group_key")
        for content, key in rows.iterator(chunk_size=200):
            self._tick()
            example = Example.from_json(content)
            if key != self._usual(group := example.group or example.id):
                self._keys[group] = key
            self._read.example, self._read.key, self._read.format = example, key, self._dataset.format
            yield example

    def key_of(self, example: Example) -> str:
        """The group key of the example's item, or of the source's items of its group; "": the default one."""
        if example is self._read.example:
            return self._read.key
        return self._keys.get(example.group or example.id, "")

    def key_of_group(self, name: str) -> str:
        """The key of a group of the source by its name; "" names that of the record read last."""
        return (self._keys.get(name) or self._usual(name)) if name else self._read.key

    def kept(self, example: Example) -> Example:
        """An example that is passed on unchanged keeps its scorer; a new one is scored like derived data."""
        if example is not self._read.example:
            return example
        return keeping_scorer(example, self._read.format, within=FORMAT)

    def _usual(self, group: str) -> str:
        return item_writer.group_key(self._dataset.root_id or self._dataset.pk, group)

    def other(self, name: str) -> StoredSource:
        dataset = Dataset.objects.whole().filter(project=self._dataset.project_id, slug=name).first()
        if dataset is None:
            raise CannotDerive(f"there is no dataset {name!r} in the project")
        return StoredSource(dataset, self._tick, read=self._read)

    def predictions(self, model: str) -> dict[int, str]:
        rows = Prediction.objects.of_models().filter(prediction_set__dataset=self._dataset, prediction_set__model=model)
        told = dict(rows.values_list("item_id", "content"))
        if not told:
            raise CannotDerive(f"{self.name} has no predictions of a model {model!r}: import them first")
        order = self._dataset.items.usable().order_by("position").values_list("pk", flat=True)
        return {place: told[item].get("text") or "" for place, item in enumerate(order) if item in told}

    def other_splits(self) -> list[StoredSource]:
        return [StoredSource(each, self._tick, read=self._read) for each in other_splits(self._dataset)]


def derive_dataset(
    source: Dataset,
    *,
    how: str,
    name: str,
    seed: int = 0,
    options: dict[str, Any] | None = None,
    files: Mapping[str, str] | None = None,
    user: User | None = None,
    progress: OnProgress = no_progress,
) -> dict[str, Any]:
    """Run the derivation `how` on `source`; the datasets are named `name` plus the suffixes of `how`.

    Files in options are identified by their content; `files` are their display names.
    Returns {"datasets": {name: size}, "read", "kept", "dropped", "figures"}. The same request again changes nothing;
    raises Refused, leaving nothing behind, for an invalid option or a name that is taken.
    """
    derivation = DERIVATIONS[how]
    settings = read_options(derivation.Options, options or {})
    contents = _contents(derivation, settings)
    lineage = {"source": source.slug, "how": how, "options": asdict(settings) | contents, "seed": seed}
    lineage["version"] = code_version()
    if changed := item_editing.change_counts(source):
        lineage["changed"] = changed
    digest = hashlib.sha256(to_text([source.digest, lineage]).encode()).hexdigest()
    if contents:
        lineage["files"] = {each: (files or {}).get(each) or Path(getattr(settings, each)).name for each in contents}
    names = names_of(how, name)
    missing = [each for each in names if not item_writer.already_there(source.project, each, digest, FORMAT)]
    if not missing:
        return {"datasets": _sizes(source, names), "already_there": True}
    columns = {each: getattr(source, each) for each in ("licence", "source", "ethics", "consent")}
    columns |= {"format": FORMAT, "root": source.root or source, "created_by": user}
    columns |= {"sha256": digest, "lineage": lineage}
    try:
        with ExitStack() as stack:
            fillers = [stack.enter_context(item_writer.filling(source.project, each, **columns)) for each in missing]
            by_name = {filler.dataset.slug: filler for filler in fillers}
            by_output = {output: by_name.get(f"{name}{output}") for output in derivation.outputs}
            tally = Tally()
            tally.tick = DerivationProgress(tally, source.size, fillers, progress)
            _fill(derivation, StoredSource(source, tally.tick), by_output, tally, settings=settings, seed=seed)
            progress(source.size, source.size)
            report = _report(tally)
            with transaction.atomic():
                for filler in fillers:
                    filler.show(report)
    except CannotDerive as cannot:
        raise Refused(_("%(how)s is not possible: %(why)s") % {"how": how, "why": cannot}) from None
    return {"datasets": _sizes(source, names), **report}


def names_of(how: str, name: str) -> list[str]:
    """The names of the datasets that a derivation creates."""
    return [f"{name}{output}" for output in DERIVATIONS[how].outputs]


def uploads_of(how: str) -> list[str]:
    """The options of a derivation that are files."""
    return [name for name, one in settings_of(DERIVATIONS[how].Options).items() if one.kind == "upload"]


def code_version() -> str:
    """The product's version for lineages."""
    try:
        return version("hopscribe")
    except PackageNotFoundError:
        return "0.1.0"


def _contents(derivation: Derivation, settings: Any) -> dict[str, str]:
    """Digests of the files in options, by option. Raises Refused for one that cannot be read."""
    found = {}
    for option in uploads_of(derivation.how):
        if not (path := getattr(settings, option)):
            continue
        try:
            with Path(path).open("rb") as file:
                found[option] = f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
        except (OSError, ValueError) as error:
            text = _("The file of the option %(name)s cannot be read: %(why)s")
            raise Refused(text % {"name": option, "why": error}) from None
    return found


def _fill(
    derivation: Derivation,
    source: StoredSource,
    by_output: Mapping[str, Filler | None],
    tally: Tally,
    *,
    settings: Any,
    seed: int,
) -> None:
    """Fill the datasets of the outputs; None: the dataset exists already."""
    some = False
    for output, example in derivation.derive(source, settings, seed=seed, tally=tally):
        some = True
        if filler := by_output[output]:
            related = derivation.related(example)
            parts = {(source.key_of_group(group), source.key_of_group(part)) for group, part in related}
            parts = {(whole, part) for whole, part in parts if whole != part}
            filler.add(source.kept(example), key=source.key_of(example), parts=parts)
        tally.tick()
    if not some:
        dropped = ", ".join(f"{reason}: {count}" for reason, count in tally.dropped.most_common(5)) or "-"
        raise CannotDerive(_("the result is empty. Dropped: %(dropped)s") % {"dropped": dropped})
    for filler in by_output.values():
        if filler:
            filler.write()


def _report(tally: Tally) -> dict[str, Any]:
    dropped = dict(tally.dropped.most_common())
    return {"read": tally.read, "kept": tally.kept, "dropped": dropped, "figures": tally.figures}


def _sizes(source: Dataset, names: list[str]) -> dict[str, int]:
    made = Dataset.objects.filter(project=source.project_id, slug__in=names)
    return dict(made.order_by("pk").values_list("slug", "size"))
