"""Records of a file become the items of a dataset: all or nothing, invisible until the last step."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.refusal import Refused
from annotation.formats import FORMATS
from annotation.formats.base import Flaw, Parsed, Remark, Unreadable
from annotation.models import Dataset, Item, Project, User
from annotation.pure.example import Example
from annotation.pure.features import FeatureCount

CHUNK = 200  # records a transaction: some 50 ms
SHOWN_FLAWS = 200
STALE = timedelta(
    seconds=30
)  # without a sign of life: longer than SQLite lets a writer wait, shorter than a job's lease

Told = Callable[[int, int], None]


class ImportRefused(Refused):
    """The file was not imported; `report` says why, record by record."""

    def __init__(self, message: str, report: dict[str, Any]) -> None:
        super().__init__(message)
        self.report = report


@dataclass
class Report:
    """What an import found. Counts are of records; `flaws` holds the first 200, errors before warnings."""

    format: str
    file: str
    read: int = 0
    accepted: int = 0
    skipped: int = 0
    errors: int = 0
    warnings: int = 0
    already_there: bool = False
    flaws: list[dict[str, Any]] = field(default_factory=list)

    def note(self, flaw: Flaw) -> None:
        if flaw.severity == "error":
            self.errors += 1
        else:
            self.warnings += 1
        if len(self.flaws) < SHOWN_FLAWS:
            self.flaws.append(asdict(flaw))
        elif flaw.severity == "error":
            self._push_out_a_warning(flaw)

    def _push_out_a_warning(self, flaw: Flaw) -> None:
        for place in range(len(self.flaws) - 1, -1, -1):
            if self.flaws[place]["severity"] == "warning":
                self.flaws[place] = asdict(flaw)
                return

    def as_json(self) -> dict[str, Any]:
        ordered = sorted(self.flaws, key=lambda flaw: flaw["severity"] != "error")
        return asdict(self) | {"flaws": ordered}


def silent(done: int, total: int) -> None:
    """Progress that nobody watches."""


def import_dataset(
    project: Project,
    path: Path,
    *,
    format: str,
    name: str,
    licence: str = "",
    source: str = "",
    file_name: str = "",
    skip_bad: bool = False,
    dry_run: bool = False,
    user: User | None = None,
    tell: Told = silent,
) -> dict[str, Any]:
    """Read `path` into a new dataset; returns the report. Raises ImportRefused, leaving nothing behind.

    The same bytes under the same name change nothing. A dead import of that name is cleared away first.
    """
    report = Report(format=format, file=_storable(file_name or path.name))
    digest = file_digest(path)
    if not dry_run and _already_there(project, name, digest, format):
        report.already_there = True
        return report.as_json()
    if dry_run:
        for _number in _accepted(path, report, tell):
            pass
        _judge(report, skip_bad=skip_bad)
        return report.as_json()
    dataset = _reserve(
        project,
        name,
        format=format,
        sha256=digest,
        licence=licence,
        source=source,
        user=user,
        file=report.file,
    )
    try:
        _fill(dataset, path, report, skip_bad=skip_bad, tell=tell)
    except BaseException:
        remove_dataset(dataset)
        raise
    return report.as_json()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, or of a folder's files in order of their names."""
    digest = hashlib.sha256()
    for file in [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file()):
        if file != path:
            digest.update(f"\0{file.relative_to(path)}\0".encode())
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _already_there(project: Project, name: str, digest: str, format: str) -> bool:
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


def _reserve(
    project: Project,
    name: str,
    *,
    sha256: str,
    format: str,
    file: str,
    licence: str,
    source: str,
    user: User | None,
) -> Dataset:
    stale = Dataset.objects.filter(project=project, slug=name).exclude(state=Dataset.State.READY)
    for dataset in stale.filter(beat_at__lt=Now() - STALE):
        remove_dataset(dataset)
    try:
        with transaction.atomic():
            return Dataset.objects.create(
                project=project,
                slug=name,
                format=format,
                sha256=sha256,
                file_name=file[:255],
                licence=licence,
                source=source,
                created_by=user,
            )
    except IntegrityError:
        text = _("A dataset named %(name)s is being imported or removed right now. Wait a minute, then try again.")
        raise ImportRefused(text % {"name": name}, {}) from None


def _storable(file_name: str) -> str:
    """A file's name as text; what the file system holds beyond UTF-8 becomes question marks."""
    return file_name.encode("utf-8", "replace").decode("utf-8")


def _accepted(path: Path, report: Report, tell: Told) -> Iterator[Example]:
    """The examples of the file that may be stored, while the report fills up."""
    try:
        for parsed in FORMATS[report.format].read(path):
            for flaw in parsed.flaws:
                report.note(flaw)
            if isinstance(parsed, Remark):
                continue
            _count(parsed, report)
            if report.read % CHUNK == 0:
                tell(report.read, 0)
            if parsed.example is not None:
                yield parsed.example
    except Unreadable as unreadable:
        report.note(unreadable.flaw)
        text = _("The file cannot be read as %(format)s: %(flaw)s")
        raise ImportRefused(text % {"format": report.format, "flaw": unreadable.flaw}, report.as_json()) from None


def _count(parsed: Parsed, report: Report) -> None:
    report.read += 1
    if parsed.example is None:
        report.skipped += 1
    else:
        report.accepted += 1


def _judge(report: Report, *, skip_bad: bool) -> None:
    if report.skipped and not skip_bad:
        text = _(
            "%(skipped)s of %(read)s records cannot be stored, so nothing was imported. "
            "Mend them, or leave them out (in the command: --skip-bad)."
        )
        counts = {"skipped": report.skipped, "read": report.read}
        raise ImportRefused(text % counts, report.as_json())
    if not report.accepted:
        raise ImportRefused(_("The file holds no record that can be stored."), report.as_json())


def _fill(dataset: Dataset, path: Path, report: Report, *, skip_bad: bool, tell: Told) -> None:
    features = FeatureCount()
    chunk: list[Item] = []
    for position, example in enumerate(_accepted(path, report, tell)):
        if report.skipped and not skip_bad:
            continue
        features.add(example)
        chunk.append(item_of(dataset, position, example))
        if len(chunk) == CHUNK:
            _write(dataset, chunk)
            chunk = []
    _judge(report, skip_bad=skip_bad)
    _write(dataset, chunk)
    _show(dataset, report, features)


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


def _write(dataset: Dataset, chunk: list[Item]) -> None:
    with transaction.atomic():
        _change(dataset, beat_at=Now())
        Item.objects.bulk_create(chunk)


def _show(dataset: Dataset, report: Report, features: FeatureCount) -> None:
    _change(
        dataset,
        state=Dataset.State.READY,
        size=report.accepted,
        features=features.as_json(),
        report=report.as_json(),
    )


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
        some = list(Item.objects.filter(dataset=dataset).values_list("pk", flat=True)[:500])
        if not some:
            break
        Item.objects.filter(pk__in=some).delete()
    Dataset.objects.filter(pk=dataset.pk).delete()
