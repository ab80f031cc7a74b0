"""Single-hop questions in a table: `question, answer, title, text`, one paragraph a question.

Spreadsheets run cells that begin like a formula, so `write` puts an apostrophe before them, which `read`
removes. Other columns are kept.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from annotation.formats import fields
from annotation.formats.base import CannotWrite, Flaw, LateFlaws, Parsed, Unreadable
from annotation.formats.fields import Inspection
from annotation.formats.json_text import MAX_RECORD, shown, storage_faults
from annotation.formats.rows import OneOfEach, refuse_unreadable
from annotation.formats.streams import opened, unreadable
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.text.spreadsheet import guarded, unguarded

_COLUMNS = ("id", "question", "answer", "title", "text")
_NEEDED = ("question", "answer", "title", "text")
_NOTE = fields.RESERVED + "csv"


class Csv:
    """A header line, then a question a line; `id` is optional ("row 1", "row 2", ... without it)."""

    name = "csv"
    title = "CSV (single-hop questions)"
    suffix = ".csv"
    rank = 7
    endings = (".csv",)

    def read(self, path: Path) -> Iterator[Parsed | LateFlaws]:
        """Stream a UTF-8 table with commas, semicolons or tabs. Raises Unreadable, also midway."""
        with opened(path) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
            try:
                yield from _rows(text)
            except UnicodeDecodeError as error:
                byte = f"the byte 0x{error.object[error.start]:02x} is not UTF-8"
                raise unreadable(byte, "Save the file as UTF-8") from error
            finally:
                text.detach()

    def write(self, examples: Iterable[Example], out: BinaryIO) -> int:
        """Write the header and a line an example, with CRLF ends. Raises CannotWrite."""
        text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
        table = csv.writer(text)
        count, header, file = 0, list(_COLUMNS), OneOfEach()
        try:
            for count, example in enumerate(examples, 1):
                if count == 1:
                    header = _header_for(example)
                    table.writerow([guarded(column) for column in header])
                cells = [guarded(cell) for cell in _cells(example, header)]
                again = _parsed(cells, header, file, Inspection(f"item {count}"), number=count)
                refuse_unreadable(example, again.flaws)
                table.writerow(cells)
            if not count:
                table.writerow(header)
        finally:
            text.detach()
        return count


def _rows(lines: Iterator[str]) -> Iterator[Parsed]:
    csv.field_size_limit(MAX_RECORD)
    first = next(lines, "")
    table = csv.reader(chain([first], lines), delimiter=max(",;\t", key=first.count), strict=True)
    header = _header(table)
    file, number = OneOfEach(), 0
    while True:
        place = f"line {table.line_num + 1}"
        try:
            cells = next(table, None)
        except csv.Error as error:
            number += 1
            flaw = Flaw("error", place, "", "row", shown(error), 'Put cells with quotes between "", doubled')
            yield Parsed(number, None, (flaw,))
            continue
        if cells is None:
            return
        if cells:
            number += 1
            yield _parsed(cells, header, file, Inspection(place), number=number)


def _header(table: Iterator[list[str]]) -> list[str]:
    try:
        header = [unguarded(cell).strip() for cell in next(table, [])]
    except csv.Error as error:
        raise _bad_header(shown(error)) from error
    if missing := [column for column in _NEEDED if column not in header]:
        raise _bad_header(f"the columns {', '.join(missing)} are missing")
    if "" in header or len(set(header)) < len(header):
        raise _bad_header("a column has no name or the name of another")
    if any(column.startswith(fields.RESERVED) for column in header):
        raise _bad_header("names that begin with @ are reserved")
    return header


def _bad_header(wrong: str) -> Unreadable:
    return unreadable(wrong, f"Begin with a header line: {','.join(_NEEDED)}", "line 1")


def _parsed(
    cells: Sequence[str], header: Sequence[str], file: OneOfEach, inspection: Inspection, *, number: int
) -> Parsed:
    if len(cells) != len(header):
        inspection.error("row", f"{len(cells)} cells for {len(header)} columns", "Give one for each column")
        return Parsed(number, None, inspection.reportable())
    record = {column: unguarded(cell) for column, cell in zip(header, cells, strict=True)}
    inspection.record_id = shown(record.get("id", ""))
    for fault in storage_faults(record):
        inspection.error(*fault)
    return file.parsed(number, _example(record, header, inspection, number=number), inspection)


def _example(record: Mapping[str, str], header: Sequence[str], inspection: Inspection, *, number: int) -> Example:
    answer = record["answer"]
    paragraph = Paragraph(record["title"], fields.needed_text(record, "text", inspection))
    if answer and not inspection.failed:
        fields.warn_of_absent_answer((answer,), (paragraph,), inspection)
    extra = {column: cell for column, cell in record.items() if column not in _COLUMNS}
    return Example(
        id=record.get("id") or f"row {number}",
        question=fields.needed_text(record, "question", inspection),
        paragraphs=(paragraph,),
        answers=(answer,) if answer else (),
        extra=extra | {_NOTE: {"columns": list(header)}},
    )


def _header_for(example: Example) -> list[str]:
    """The columns of the file that an example was imported from, with `id`; otherwise our own five columns."""
    columns = _columns(example)
    return columns if "id" in columns else ["id", *columns]


def _columns(example: Example) -> list[str]:
    note = example.extra.get(_NOTE)
    columns = note.get("columns") if isinstance(note, dict) else None
    if not fields.is_texts(columns) or not set(_NEEDED) <= set(columns or ()):
        return list(_COLUMNS)
    return list(columns or ())


def _cells(example: Example, header: Sequence[str]) -> list[str]:
    if len(example.paragraphs) != 1:
        raise CannotWrite(example.id, "CSV holds one paragraph a question")
    if example.options:
        raise CannotWrite(example.id, "CSV has no place for answer options")
    if lost := set(_columns(example)) - set(header):
        raise CannotWrite(example.id, f"the table has no column {min(lost)}")
    paragraph = example.paragraphs[0]
    core = {"id": example.id, "question": example.question, "answer": example.answer or ""}
    core |= {"title": paragraph.title, "text": paragraph.text}
    more = fields.plain_extra(example.extra)
    return [core[column] if column in core else _cell(more.get(column)) for column in header]


def _cell(value: object) -> str:
    return value if isinstance(value, str) else ""


FORMAT = Csv()
