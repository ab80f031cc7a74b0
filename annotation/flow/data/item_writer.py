"""Storing examples as the items of a dataset, which stays invisible until complete; a failure removes them."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.formats.base import Flaw, ended
from annotation.models import Batch, Dataset, GroupPart, Item, Project
from annotation.models.compiled import insert_many
from annotation.pure.data.example import Example
from annotation.pure.data.features import FeatureCount

CHUNK = 200  # records per transaction: some 50 ms
# Without a sign of life an import is dead: longer than SQLite lets a writer wait, shorter than a job's lease.
STALE = timedelta(seconds=30)

OnProgress = Callable[[int, int], None]


class ImportRefused(Refused):
    """Nothing was stored; `report` lists the errors by record."""

    def __init__(self, message: str, report: dict[str, Any]) -> None:
        super().__init__(message)
        self.report = report


def no_progress(done: int, total: int) -> None:
    """A progress callback that does nothing."""


def already_there(project: Project, name: str, digest: str, format: str) -> bool:
    """Whether a dataset of that name has the same content. Raises ImportRefused if its content differs."""
    dataset = Dataset.objects.filter(project=project, slug=name).first()
    if dataset is None or dataset.state != Dataset.State.READY:
        return False
    if dataset.sha256 == digest and dataset.format == format:
        return True
    raise ImportRefused(
        _("The name %(name)s is taken by a dataset with different content. Choose another name; datasets never change.")
        % {"name": name},
        {},
    )


def reserve(project: Project, name: str, **columns: Any) -> Dataset:
    """Create an invisible dataset of that name. Removes a dead one; raises ImportRefused for a live one."""
    stale = Dataset.objects.filter(project=project, slug=name).exclude(state=Dataset.State.READY)
    for dataset in stale.filter(beat_at__lt=Now() - STALE):
        # repeat the check: it may have been completed or taken over since we looked
        if stale.filter(pk=dataset.pk, beat_at__lt=Now() - STALE).update(state=Dataset.State.REMOVING, beat_at=Now()):
            remove_dataset(dataset)
    try:
        with transaction.atomic():
            return Dataset.objects.create(project=project, slug=name, **columns)
    except IntegrityError:  # the constraint decides, because two may take the name at the same moment
        raise ImportRefused(_why_taken(project, name) % {"name": name}, {}) from None


def _why_taken(project: Project, name: str) -> str:
    # the heartbeat of a deletion is in the future (flow/data/dataset_removal)
    if Dataset.objects.filter(project=project, slug=name, beat_at__gt=Now()).exists():
        return _("A dataset named %(name)s is in the bin. Restore it, erase it, or choose another name.")
    return _("A dataset named %(name)s is being imported or deleted right now. Wait a minute, then try again.")


class Filler:
    """Writes examples into an invisible dataset, chunk by chunk."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.size = 0
        self._features = FeatureCount()
        self._chunk: list[Item] = []
        self._parts: list[GroupPart] = []
        self._has_parts = False

    def add(self, example: Example, *, key: str = "", parts: Iterable[tuple[str, str]] = ()) -> None:
        """Add an example.

        `key`: the group key of the item that it came from, if it stays in that group; `parts`: (group key, key of a
        group that it is made of) pairs that it adds.
        """
        self._features.add(example)
        item = item_of(self.dataset, self.size, example)
        item.group_key = key or item.group_key
        self._chunk.append(item)
        root = self.dataset.root_id or self.dataset.pk
        self._parts += [GroupPart(root_id=root, group_key=group, part_key=part) for group, part in parts]
        self.size += 1
        if len(self._chunk) == CHUNK:
            self.write()

    def write(self) -> None:
        """Store the current chunk."""
        with transaction.atomic():
            _change(self.dataset, beat_at=Now())
            insert_many(self._chunk)
            GroupPart.objects.bulk_create(self._parts, ignore_conflicts=True)
        self._has_parts |= bool(self._parts)
        self._chunk, self._parts = [], []

    def show(self, report: dict[str, Any], **columns: Any) -> None:
        """Make the dataset visible: the last step."""
        features, dataset = self._features.as_json(), self.dataset
        with transaction.atomic():
            _change(dataset, state=Dataset.State.READY, size=self.size, features=features, report=report, **columns)
            if self._has_parts:
                root = dataset.root_id or dataset.pk
                related = Batch.everything.filter(Q(datasets=root) | Q(datasets__root=root), has_group_parts=False)
                related.update(has_group_parts=True)
            origin = {"how": dataset.lineage["how"]} if dataset.lineage else {"file": dataset.file_name}
            audit_log.record("derived" if dataset.lineage else "imported", dataset, items=self.size, **origin)


@contextmanager
def filling(project: Project, name: str, **columns: Any) -> Iterator[Filler]:
    """A filler of a new dataset of that name, which is removed if the block fails. Raises ImportRefused."""
    filler = Filler(reserve(project, name, **columns))
    try:
        yield filler
    except BaseException:  # also if the process is told to stop: half a dataset would keep the name
        remove_dataset(filler.dataset)
        raise


def item_of(dataset: Dataset, position: int, example: Example) -> Item:
    """The row of an example, with a group key of the imported dataset that it descends from."""
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
    """Project-wide name of a group; long ones are hashed."""
    if len(group) > 250:
        group = hashlib.sha256(group.encode()).hexdigest()
    return f"{root}:{group}"


def _change(dataset: Dataset, **columns: object) -> None:
    """Update the dataset being filled. Raises ImportRefused if another import removed it as dead."""
    if not Dataset.objects.filter(pk=dataset.pk, state=Dataset.State.IMPORTING).update(**columns):
        text = _("The import of %(name)s stopped responding and was cancelled. Start it again.")
        raise ImportRefused(text % {"name": dataset.slug}, {})


def remove_dataset(dataset: Dataset) -> None:
    """Erase a dataset in steps under a second; it is invisible from the first."""
    Dataset.objects.filter(pk=dataset.pk).update(state=Dataset.State.REMOVING, beat_at=Now())
    while some := list(Item.every.filter(dataset=dataset).values_list("pk", flat=True)[:500]):
        Item.every.filter(pk__in=some).delete()
    while some := list(GroupPart.objects.filter(root=dataset).values_list("pk", flat=True)[:500]):
        GroupPart.objects.filter(pk__in=some).delete()
    Dataset.objects.filter(pk=dataset.pk).delete()


SHOWN_LINES = 3
VALUES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d+""")  # values quoted from the record in a flaw's text


def kind_of(flaw: Flaw) -> tuple[str, ...]:
    """A key that is equal for flaws which differ only in the record, its values and its indices."""
    return (flaw.severity, *(VALUES.sub("", words) for words in (flaw.field, flaw.wrong, flaw.fix)))


def in_words(row: Mapping[str, Any]) -> str:
    """A row of an import's report as a line: `warning: line 4 (id q7), answer: … And 59 more like this.`"""
    where = f"{row['place']} (id {row['record_id']})" if row["record_id"] else row["place"]
    line = f"{row['severity']}: {where}, {row['field']}: {ended(row['wrong'])} {ended(row['fix'])}"
    more = row.get("more", 0)
    return f"{line} And {more:,} more like this." if more else line


@dataclass(slots=True)
class LineFlaw:
    """A flaw with its first lines and the words of the first one."""

    flaw: Flaw
    lines: list[int] = field(default_factory=list)
    count: int = 0

    @property
    def place(self) -> str:
        """The lines of the error: `line 5`, or `lines 1, 2, 3 and 116 more`."""
        numbers = ", ".join(map(str, self.lines))
        more = self.count - len(self.lines)
        return f"line{'s' if self.count > 1 else ''} {numbers}" + (f" and {more} more" if more else "")

    def as_json(self) -> dict[str, Any]:
        """The flaw of a report, with `count` and the first `lines`."""
        flaw = self.flaw
        data = {"severity": flaw.severity, "place": self.place, "record_id": "", "field": flaw.field}
        return {**data, "wrong": flaw.wrong, "fix": flaw.fix, "count": self.count, "lines": self.lines}


class LineFlaws:
    """Flaws in the order of their first lines, errors first; of more than `most` different ones only the number."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.errors = 0  # lines that have one
        self.warnings = 0
        self._kinds: dict[tuple[str, str, str], LineFlaw] = {}

    def add(self, severity: Any, line: int, about: str, *, wrong: str, fix: str, values: Mapping[str, Any]) -> None:
        """Add a flaw. `wrong` may have %(name)s placeholders: lines that differ only in their values share one flaw."""
        self.errors += severity == "error"
        self.warnings += severity == "warning"
        kind = (about, wrong, fix)
        if kind not in self._kinds:
            if len(self._kinds) == self.most:
                return
            words = wrong % values if values else wrong
            self._kinds[kind] = LineFlaw(Flaw(severity, f"line {line}", "", about, words.rstrip(". "), fix))
        found = self._kinds[kind]
        found.count += 1
        if len(found.lines) < SHOWN_LINES:
            found.lines.append(line)

    def shown(self) -> list[LineFlaw]:
        return sorted(self._kinds.values(), key=lambda one: (one.flaw.severity != "error", one.lines))
