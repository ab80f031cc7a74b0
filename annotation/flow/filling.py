"""Examples become the items of a dataset that nobody sees until one last switch; a failure takes them away."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import recording
from annotation.flow.refusal import Refused
from annotation.models import Dataset, Item, Project
from annotation.pure.example import Example
from annotation.pure.features import FeatureCount

CHUNK = 200  # records a transaction: some 50 ms
# Without a sign of life an import is dead: longer than SQLite lets a writer wait, shorter than a job's lease.
STALE = timedelta(seconds=30)

Told = Callable[[int, int], None]


class ImportRefused(Refused):
    """Nothing was stored; `report` says why, record by record."""

    def __init__(self, message: str, report: dict[str, Any]) -> None:
        super().__init__(message)
        self.report = report


def silent(done: int, total: int) -> None:
    """Progress that nobody watches."""


def already_there(project: Project, name: str, digest: str, format: str) -> bool:
    """Whether the name holds the same content. Raises ImportRefused when it holds another."""
    dataset = Dataset.objects.filter(project=project, slug=name).first()
    if dataset is None or dataset.state != Dataset.State.READY:
        return False
    if dataset.sha256 == digest and dataset.format == format:
        return True
    raise ImportRefused(
        _("The name %(name)s is taken by a dataset with other content. Choose another name; datasets never change.")
        % {"name": name},
        {},
    )


def reserve(project: Project, name: str, **columns: Any) -> Dataset:
    """An invisible dataset of that name to fill. A dead one is cleared away; raises ImportRefused for a live one."""
    stale = Dataset.objects.filter(project=project, slug=name).exclude(state=Dataset.State.READY)
    for dataset in stale.filter(beat_at__lt=Now() - STALE):
        # still so: it may have come to its end, or have been taken by another, since we looked
        if stale.filter(pk=dataset.pk, beat_at__lt=Now() - STALE).update(state=Dataset.State.REMOVING, beat_at=Now()):
            remove_dataset(dataset)
    try:
        with transaction.atomic():
            return Dataset.objects.create(project=project, slug=name, **columns)
    except IntegrityError:
        raise ImportRefused(_why_taken(project, name) % {"name": name}, {}) from None


def _why_taken(project: Project, name: str) -> str:
    if Dataset.objects.filter(project=project, slug=name, beat_at__gt=Now()).exists():  # flow/removing sets it ahead
        return _("A dataset named %(name)s lies in the bin. Bring it back, erase it there, or choose another name.")
    return _("A dataset named %(name)s is being imported or removed right now. Wait a minute, then try again.")


class Filler:
    """Takes examples into an invisible dataset, chunk by chunk."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.size = 0
        self._features = FeatureCount()
        self._chunk: list[Item] = []

    def add(self, example: Example, *, key: str = "") -> None:
        """`key`: the group key of the item that the example came from, where it stays in that item's group."""
        self._features.add(example)
        item = item_of(self.dataset, self.size, example)
        item.group_key = key or item.group_key
        self._chunk.append(item)
        self.size += 1
        if len(self._chunk) == CHUNK:
            self.write()

    def write(self) -> None:
        """Store what has come together."""
        with transaction.atomic():
            _change(self.dataset, beat_at=Now())
            Item.objects.bulk_create(self._chunk)
        self._chunk = []

    def show(self, report: dict[str, Any], **columns: Any) -> None:
        """The last switch: from here on everybody sees the dataset."""
        features, dataset = self._features.as_json(), self.dataset
        with transaction.atomic():
            _change(dataset, state=Dataset.State.READY, size=self.size, features=features, report=report, **columns)
            origin = {"how": dataset.lineage["how"]} if dataset.lineage else {"file": dataset.file_name}
            recording.record("derived" if dataset.lineage else "imported", dataset, items=self.size, **origin)


def item_of(dataset: Dataset, position: int, example: Example) -> Item:
    """The row of an example. Group keys are those of the dataset that it descends from."""
    return Item(
        dataset=dataset,
        position=position,
        source_id=example.id[:500],
        group_key=group_key(dataset.root_id or dataset.pk, example.group or example.id or f"#{position}"),
        question=example.question,
        hops=len(example.hops),
        shape=example.shape[:60],
        answerable=example.answerable,
        content=example.as_json(),
    )


def group_key(root: int, group: str) -> str:
    """Project-wide name of a group; long ones by their hash."""
    if len(group) > 250:
        group = hashlib.sha256(group.encode()).hexdigest()
    return f"{root}:{group}"


def _change(dataset: Dataset, **columns: object) -> None:
    """A guarded update of the dataset being filled. Raises ImportRefused when another import cleared it away."""
    if not Dataset.objects.filter(pk=dataset.pk, state=Dataset.State.IMPORTING).update(**columns):
        text = _(
            "The import of %(name)s stood still so long that it was taken for dead and cleared away. Start it again."
        )
        raise ImportRefused(text % {"name": dataset.slug}, {})


def remove_dataset(dataset: Dataset) -> None:
    """Take a dataset away in steps under a second; it is invisible from the first."""
    Dataset.objects.filter(pk=dataset.pk).update(state=Dataset.State.REMOVING, beat_at=Now())
    while True:
        some = list(Item.every.filter(dataset=dataset).values_list("pk", flat=True)[:500])
        if not some:
            break
        Item.every.filter(pk__in=some).delete()
    Dataset.objects.filter(pk=dataset.pk).delete()
