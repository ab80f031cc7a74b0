"""The base of formats with one object per record: read, write, and restore the original record.

An Example holds a record's meaning. If a record's form differs from that of the format's `record` (another
order of keys, a missing optional key, a fact outside the context), the difference is kept under the key
"@<format>" of `extra`, and is restored on export as long as the meaning is unchanged.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from annotation.formats.base import CannotWrite, Flaw, Format, LateFlaws, Parsed
from annotation.formats.fields import RESERVED, Inspection, plain_extra
from annotation.formats.guess import look_of
from annotation.formats.storable import shown
from annotation.formats.streams import Row, rows, unreadable
from annotation.pure.data.example import JSON, Example

MOST_PARAGRAPHS = 1_000  # of an item: a page with more takes seconds to open
MOST_CHARACTERS = 2_000_000


class RowFormat(ABC):
    """A format whose file is an array (or lines) of objects, each one Example."""

    name: str
    title: str
    suffix: str = ".json"  # ".jsonl": one record a line, else a JSON array
    family: tuple[str, ...] = ()  # other formats whose records this one reads
    used: Collection[str] | None = None  # the names of all fields that `example` reads, on all levels
    takes_all = False  # whether a record holds every field of an Example

    @abstractmethod
    def example(self, record: JSON, inspection: Inspection) -> Example:
        """Parse a record. Flaws are added to `inspection`; after an error the returned value is meaningless."""

    @abstractmethod
    def record(self, example: Example) -> JSON:
        """An Example in this format's usual form. Raises CannotWrite."""

    def read(self, path: Path) -> Iterator[Parsed | LateFlaws]:
        """Stream a JSON array, JSON lines or Parquet, plain or gzipped. Raises Unreadable, also midway."""
        file = self.file()
        for row in self.rows(path):
            if row.number == 1:
                refuse_other_format(row, self, self.family)
            yield self._parsed(row, file)
        if flaws := file.remarks():
            yield LateFlaws(tuple(flaws))

    def write(self, examples: Iterable[Example], out: BinaryIO) -> int:
        """Write a JSON array, or only its records, one a line. Raises CannotWrite."""
        write = write_lines if self.suffix == ".jsonl" else write_array
        return write((dumped(record, example) for example, record in self.records(examples)), out)

    def records(self, examples: Iterable[Example]) -> Iterator[tuple[Example, JSON]]:
        """(example, record) of each, none that `read` would not take again. Raises CannotWrite."""
        file = self.file()
        for number, example in enumerate(examples, 1):
            if not self.takes_all:
                refuse_homeless(example, self.title)
            record, inspection = self.restored(example), Inspection(f"item {number}", number=number)
            again = self.example(record, inspection)
            if not inspection.failed:
                file.admit(again, inspection)
            refuse_unreadable(example, inspection.reportable())
            yield example, record

    def rows(self, path: Path) -> Iterator[Row]:
        """The records of the file."""
        return rows(path)

    def file(self) -> UniqueIds:
        """The check across the records of one file."""
        return UniqueIds()

    def kept(self, example: Example, record: JSON) -> Example:
        """The example with a note of how its record differs from the usual form, if it does."""
        try:
            usual = self.record(example)
        except CannotWrite:  # it was read, so the note on it can be written
            usual = {}
        if usual == record and list(usual) == list(record):
            return example
        fields = {key: value for key, value in record.items() if key not in usual or usual[key] != value}
        note = {**self.note(example), "keys": list(record)} | ({"fields": fields} if fields else {})
        return replace(example, extra={**example.extra, self._mark: note})

    def note(self, example: Example) -> Mapping[str, Any]:
        """The note of `kept` on the example; empty if there is none or it is not a valid note."""
        note = example.extra.get(self._mark)
        return note if isinstance(note, dict) else {}

    def restored(self, example: Example) -> JSON:
        """The imported record of the example, or its usual form if the example has changed since."""
        note = self.note(example)
        keys, fields = note.get("keys"), note.get("fields", {})
        known = isinstance(keys, list) and isinstance(fields, dict)
        try:
            usual = self.record(example)
        except CannotWrite:
            if not known or not self._means(fields, example):
                raise
            usual = fields
        if not known:
            return usual
        both = {**usual, **fields}
        record = {key: both[key] for key in keys or () if isinstance(key, str) and key in both}
        return record if self._means(record, example) else usual

    def _means(self, record: JSON, example: Example) -> bool:
        inspection = Inspection("")
        read = self.example(record, inspection)
        return not inspection.failed and _bare(read) == _bare(example)

    @property
    def _mark(self) -> str:
        return RESERVED + self.name

    def _parsed(self, row: Row, file: UniqueIds) -> Parsed:
        inspection = Inspection.of(row, self.used)
        if not inspection.failed and type(row.value) is not dict:
            inspection.mistyped("record", row.value, "an object")
        if inspection.failed:
            return Parsed(row.number, None, inspection.reportable())
        parsed = file.parsed(row.number, self.example(row.value, inspection), inspection)
        return replace(parsed, example=self.kept(parsed.example, row.value)) if parsed.example else parsed


def refuse_other_format(row: Row, wanted: Format, family: Collection[str] = ()) -> None:
    """Raise Unreadable if a row is clearly in a format other than `wanted` and its `family`."""
    look = look_of(row.value, wanted.name)
    if look and look not in (wanted.name, *family):
        wrong = f"its records are not {wanted.title}: they look like the format {look}"
        raise unreadable(wrong, f"Import it with the format {look}", row.place)


def refuse_homeless(example: Example, title: str) -> None:
    """Raise CannotWrite if the example has a field that only Hopscribe's own formats hold."""
    for name in ("answer_set", "as_of"):
        if getattr(example, name):
            raise CannotWrite(example.id, f"{title} has no place for {name}")


def refuse_unreadable(example: Example, flaws: Iterable[Flaw]) -> None:
    """Raise CannotWrite if one of the flaws of an example's record is an error, so that an import would refuse it."""
    for flaw in flaws:
        if flaw.severity == "error":
            raise CannotWrite(example.id, f"an import would refuse its {flaw.field}: {flaw.wrong}")


class UniqueIds:
    """The rule of most files: an id names one record. Formats with twins have a rule of their own."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def admit(self, example: Example, inspection: Inspection) -> None:
        """Report conflicts of this example with earlier ones."""
        first = self.places.setdefault(example.id, inspection.place)
        if first != inspection.place:
            fix = "Give each record an id of its own"
            inspection.error("id", f"the id was used before, in {first}", fix)

    def parsed(self, number: int, example: Example, inspection: Inspection) -> Parsed:
        """A record as it was read: admitted, or refused with its flaws."""
        if not inspection.failed:
            _refuse_too_large(example, inspection)
            self.admit(example, inspection)
        return Parsed(number, None if inspection.failed else example, inspection.reportable())

    def remarks(self) -> list[Flaw]:
        """Flaws that show only when all records are read."""
        return []


def _refuse_too_large(example: Example, inspection: Inspection) -> None:
    count, size = len(example.paragraphs), sum(len(paragraph.text) for paragraph in example.paragraphs)
    if count > MOST_PARAGRAPHS or size > MOST_CHARACTERS:
        wrong = f"{count:,} paragraphs with {size:,} characters"
        fix = f"Give an item at most {MOST_PARAGRAPHS:,} paragraphs and {MOST_CHARACTERS:,} characters"
        inspection.error("paragraphs", wrong, fix)


def _bare(example: Example) -> Example:
    return replace(example, extra=plain_extra(example.extra))


def dumped(record: JSON, example: Example) -> bytes:
    """A record as one line of ASCII JSON. Raises CannotWrite for values that JSON cannot hold."""
    try:
        return json.dumps(record, allow_nan=False).encode("ascii")
    except (ValueError, TypeError, RecursionError) as error:
        raise CannotWrite(example.id, f"JSON cannot hold it ({shown(error)})") from error


def write_array(lines: Iterable[bytes], out: BinaryIO) -> int:
    """Write encoded records as a JSON array; returns how many."""
    count = 0
    for count, line in enumerate(lines, 1):
        out.write((b"[\n" if count == 1 else b",\n") + line)
    out.write(b"\n]\n" if count else b"[]\n")
    return count


def write_lines(lines: Iterable[bytes], out: BinaryIO) -> int:
    """Write encoded records one a line; returns how many."""
    count = 0
    for line in lines:
        out.write(line + b"\n")
        count += 1
    return count
