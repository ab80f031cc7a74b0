"""Records of a file become the items of a dataset: all or nothing, invisible until the last step."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.filling import (
    CHUNK,
    Filler,
    ImportRefused,
    Told,
    already_there,
    remove_dataset,
    reserve,
    silent,
)
from annotation.formats import FORMATS
from annotation.formats.base import Flaw, Parsed, Remark, Unreadable
from annotation.models import Project, User
from annotation.pure.example import Example

SHOWN_FLAWS = 200


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
    if not dry_run and already_there(project, name, digest, format):
        report.already_there = True
        return report.as_json()
    if dry_run:
        for _number in _accepted(path, report, tell):
            pass
        _judge(report, skip_bad=skip_bad)
        return report.as_json()
    columns = {"format": format, "sha256": digest, "licence": licence, "source": source, "created_by": user}
    dataset = reserve(project, name, file_name=report.file[:255], **columns)
    try:
        _fill(Filler(dataset), path, report, skip_bad=skip_bad, tell=tell)
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
            "%(skipped)s of %(read)s records cannot be stored, so nothing was imported. Mend them, or leave them out."
        )
        counts = {"skipped": report.skipped, "read": report.read}
        raise ImportRefused(text % counts, report.as_json())
    if not report.accepted:
        raise ImportRefused(_("The file holds no record that can be stored."), report.as_json())


def _fill(filler: Filler, path: Path, report: Report, *, skip_bad: bool, tell: Told) -> None:
    for example in _accepted(path, report, tell):
        if skip_bad or not report.skipped:
            filler.add(example)
    _judge(report, skip_bad=skip_bad)
    filler.write()
    filler.show(report.as_json())
