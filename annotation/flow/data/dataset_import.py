"""Import of a file as a dataset: all or nothing, invisible until complete."""

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.data import item_writer
from annotation.flow.data.item_writer import ImportRefused, OnProgress, kind_of, no_progress
from annotation.formats import FORMATS
from annotation.formats.base import Aliased, Flaw, Format, LateFlaws, Unreadable
from annotation.formats.fields import plain_extra
from annotation.formats.guess import garbled, guess
from annotation.formats.mapped import SAMPLE, Mapped, Sample, sample_of, workable
from annotation.formats.streams import files_in
from annotation.models import Project, User
from annotation.pure.data.column_mapping import BadMapping, ColumnMapping, families
from annotation.pure.data.column_mapping import suggest as suggested_roles
from annotation.pure.data.example import Example

SHOWN_FLAWS = 200
SHOWN_NAMES = 50
# invalid records at which, if they are the majority, reading stops: it is another format, or an attack
MOST_WRONG = 10_000
PREVIEWED = 3  # items
REMEMBERED = 100  # datasets whose mapping is looked up
Reader = Format | Mapped


@dataclass
class Report:
    """The report of an import. Counts are of records; `flaws` has up to 200 rows, errors before warnings.

    Similar warnings share one row, that of the first; `more` is the number of the others.
    """

    format: str
    file: str
    read: int = 0
    accepted: int = 0
    skipped: int = 0
    errors: int = 0
    warnings: int = 0
    already_there: bool = False
    hub: dict[str, Any] = field(default_factory=dict)  # where on the Hub the file is from
    mapping: dict[str, Any] = field(default_factory=dict)  # `columns` by role, and the `names` that the file has
    kept: list[str] = field(default_factory=list)  # the names of other fields, kept with the items
    flaws: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._warned: dict[tuple[str, ...], dict[str, Any]] = {}

    def note(self, flaw: Flaw) -> None:
        if flaw.severity == "error":
            self.errors += 1
        elif self._is_folded(flaw):
            return
        if len(self.flaws) < SHOWN_FLAWS:
            self.flaws.append(asdict(flaw))
            if flaw.severity == "warning":
                self._warned[kind_of(flaw)] = self.flaws[-1]
        elif flaw.severity == "error":
            self._push_out_a_warning(flaw)

    def note_kept(self, extra: Mapping[str, Any]) -> None:
        """Note the names in an item's `extra` that are its source's own."""
        if len(self.kept) < SHOWN_NAMES:
            self.kept += [name[:80] for name in plain_extra(extra) if name[:80] not in self.kept]

    def _is_folded(self, flaw: Flaw) -> bool:
        """Count a warning; True if the report already has a similar one."""
        self.warnings += 1
        row = self._warned.get(kind_of(flaw))
        if row is not None:
            row["more"] = row.get("more", 0) + 1
        return row is not None

    def _push_out_a_warning(self, flaw: Flaw) -> None:
        for place in range(len(self.flaws) - 1, -1, -1):
            if self.flaws[place]["severity"] == "warning":
                self.flaws[place] = asdict(flaw)
                return

    def as_json(self) -> dict[str, Any]:
        ordered = sorted(self.flaws, key=lambda flaw: flaw["severity"] != "error")
        facts = asdict(self) | {"flaws": ordered}
        return {name: value for name, value in facts.items() if value or name not in {"hub", "mapping", "kept"}}


def import_dataset(
    project: Project,
    path: Path,
    *,
    format: str,
    name: str,
    aliases: Path | None = None,
    mapping: ColumnMapping | None = None,
    licence: str = "",
    source: str = "",
    file_name: str = "",
    hub: dict[str, Any] | None = None,
    skip_bad: bool = False,
    dry_run: bool = False,
    user: User | None = None,
    progress: OnProgress = no_progress,
) -> dict[str, Any]:
    """Import `path` as a new dataset; returns the report. Raises ImportRefused, leaving nothing behind.

    `aliases` is the file of answers' aliases, if the format has one (2WikiMultihopQA); `mapping` says what the columns
    of a file in no known format hold, which is stored as `jsonl`; `hub`, kept in the report with the mapping, says
    where on the Hub the file is from. Importing the same bytes under the same name again changes nothing. A
    crashed import of that name is removed first.
    """
    # bytes of the name that are not UTF-8 become question marks
    report = Report(format, (file_name or path.name).encode("utf-8", "replace").decode(), hub=hub or {})
    reader: Reader = Mapped(mapping) if mapping else _reader(format, aliases, report)
    digest = file_digest(path)
    if mapping:
        report.mapping = {"columns": mapping.as_json(), "names": read_sample(path).names}
        digest = hashlib.sha256(f"{digest} {sorted(mapping.as_json().items())}".encode()).hexdigest()
    if aliases:
        digest = hashlib.sha256(f"{digest} {file_digest(aliases)}".encode()).hexdigest()
    if not dry_run and item_writer.already_there(project, name, digest, format):
        report.already_there = True
        return report.as_json()
    if dry_run:
        deque(_accepted(reader, path, report, progress=progress), maxlen=0)
        _judge(report, skip_bad=skip_bad)
        return report.as_json()
    columns = {"format": format, "sha256": digest, "licence": licence, "source": source, "created_by": user}
    with item_writer.filling(project, name, file_name=report.file[:255], **columns) as filler:
        for example in _accepted(reader, path, report, progress=progress):
            if skip_bad or not report.skipped:
                filler.add(example)
        _judge(report, skip_bad=skip_bad)
        filler.write()
        filler.show(report.as_json())
    return report.as_json()


def recognised(path: Path, name: str, *, file_name: str = "", wanted: str = "") -> str:
    """The wanted format, or that of a file or of a folder's first file; errors call it `name`.

    Raises ImportRefused, Unmapped also if `Mapped` is wanted.
    """
    first = first_file(path)
    format = wanted or guess(first, file_name=file_name or first.name)
    if format in FORMATS:
        return format
    if wrong := garbled(first):
        raise ImportRefused(_("%(name)s cannot be read: %(wrong)s.") % {"name": name, "wrong": wrong}, {})
    raise Unmapped(name, first)


def first_file(path: Path) -> Path:
    """A file itself, the first one of a folder."""
    return path if path.is_file() else next(iter(files_in(path)), path)


class Unmapped(ImportRefused):
    """A file in no known format; `mapping` is a suggestion for its columns, if there is one."""

    def __init__(self, name: str, path: Path) -> None:
        sample = read_sample(path)
        roles = suggest(sample)
        self.mapping = mapping_or_none((role, column) for column, role in roles.items())
        text = _("No known format has the columns of %(name)s: %(columns)s. Map them, or choose one of %(known)s.")
        columns = ", ".join(families(sample.columns))[:500]
        super().__init__(text % {"name": name, "columns": columns, "known": ", ".join(sorted(FORMATS))}, {})


def suggest(sample: Sample) -> dict[str, str]:
    """The likely role of each column or family, as far as the first records can be read so."""
    return workable(sample, suggested_roles(sample.records, sample.columns))


def read_sample(path: Path) -> Sample:
    """The first records of a file and their columns. Raises ImportRefused."""
    try:
        return sample_of(path)
    except Unreadable as unreadable:
        raise ImportRefused(_("The file cannot be read: %(flaw)s") % {"flaw": unreadable.flaw}, {}) from None


def remembered(project: Project, names: list[str]) -> tuple[str, ColumnMapping] | None:
    """(dataset, mapping) of the newest dataset of the project whose file had these names."""
    rows = project.datasets.whole().filter(format="jsonl", lineage={}).order_by("-created_at")
    for slug, report in rows.values_list("slug", "report")[:REMEMBERED]:
        if (known := report.get("mapping")) and known["names"] == names:
            return slug, ColumnMapping.of_json(known["columns"])
    return None


def suggestion(project: Project, path: Path) -> dict[str, Any]:
    """{"suggested": `role=column` words, "unused": other columns, "remembered": the dataset with the same names}.

    Raises ImportRefused.
    """
    sample = read_sample(path)
    known = remembered(project, sample.names)
    roles = known[1].roles() if known else suggest(sample)
    words = [f"{role}={column}" for column, role in roles.items()]
    unused = [column for column in families(sample.columns) if column not in roles]
    return {"suggested": words, "unused": unused, "remembered": known[0] if known else ""}


def mapping_or_none(pairs: Iterable[tuple[str, str]]) -> ColumnMapping | None:
    """The mapping of (role, column) pairs; None if it makes no items."""
    try:
        return ColumnMapping.of(pairs)
    except BadMapping:
        return None


def preview(path: Path, mapping: ColumnMapping) -> tuple[list[Example], dict[str, Any]]:
    """(the first three items, the report of the first 200 records) of an import. Raises ImportRefused."""
    report = Report("jsonl", path.name)
    records = _accepted(Mapped(mapping), path, report, most=SAMPLE)
    shown = [example for number, example in enumerate(records) if number < PREVIEWED]
    return shown, report.as_json()


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


def _reader(format: str, aliases: Path | None, report: Report) -> Format:
    reader = FORMATS[format]
    if aliases is None:
        return reader
    if not isinstance(reader, Aliased):
        text = _("%(format)s does not use an alias file; only %(others)s does.")
        others = ", ".join(name for name, each in FORMATS.items() if isinstance(each, Aliased))
        raise ImportRefused(text % {"format": format, "others": others}, report.as_json())
    try:
        return reader.aliased(aliases)
    except Unreadable as unreadable:
        text = _("The alias file cannot be read: %(flaw)s")
        raise ImportRefused(text % {"flaw": unreadable.flaw}, report.as_json()) from None


def _accepted(
    reader: Reader, path: Path, report: Report, *, progress: OnProgress = no_progress, most: int | None = None
) -> Iterator[Example]:
    """Yield the valid examples of the file or of its first `most` records, adding to the report."""
    try:
        for parsed in islice(reader.read(path), most):
            for flaw in parsed.flaws:
                report.note(flaw)
            if isinstance(parsed, LateFlaws):
                continue
            report.read += 1
            report.accepted += parsed.example is not None
            report.skipped += parsed.example is None
            _stop_where_most_are_wrong(report)
            if report.read % item_writer.CHUNK == 0:
                progress(report.read, 0)
            if parsed.example is not None:
                report.note_kept(parsed.example.extra)
                yield parsed.example
    except Unreadable as unreadable:
        report.note(unreadable.flaw)
        text = _("The file cannot be read as %(format)s: %(flaw)s")
        raise ImportRefused(text % {"format": reader.name, "flaw": unreadable.flaw}, report.as_json()) from None


def _stop_where_most_are_wrong(report: Report) -> None:
    if report.skipped > MOST_WRONG and report.skipped * 2 > report.read:
        text = _(
            "%(skipped)s of the first %(read)s records cannot be stored. The import stopped there, and "
            "nothing was imported. Is the file really %(format)s?"
        )
        counts = {"skipped": report.skipped, "read": report.read, "format": report.format}
        raise ImportRefused(text % counts, report.as_json())


def _judge(report: Report, *, skip_bad: bool) -> None:
    if report.skipped and not skip_bad:
        text = _(
            "%(skipped)s of %(read)s records cannot be stored, so nothing was imported. Fix them, or choose "
            "to skip them."
        )
        counts = {"skipped": report.skipped, "read": report.read}
        raise ImportRefused(text % counts, report.as_json())
    if not report.accepted:
        raise ImportRefused(_("None of the records in the file can be stored."), report.as_json())
