"""Single-hop questions in a table: `question, answer, title, text`, one paragraph a question.

Spreadsheets run cells that begin like a formula, so `write` puts an apostrophe before them, which `read`
removes. Two columns are optional: `as_of`, a date, and `answer_set`, a JSON list. Other columns are kept.
"""

import csv
import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from annotation.formats import fields
from annotation.formats.base import CannotWrite, LateFlaws, Parsed
from annotation.formats.fields import Inspection
from annotation.formats.rows import UniqueIds, refuse_unreadable
from annotation.formats.storable import storage_faults
from annotation.formats.streams import Row
from annotation.formats.tables import bad_header, table_rows
from annotation.pure.data.example import Example, Paragraph
from annotation.pure.text.spreadsheet import guarded

_COLUMNS = ("id", "question", "answer", "title", "text")
_OPTIONAL = ("answer_set", "as_of")
_NEEDED = ("question", "answer", "title", "text")
_NOTE = fields.RESERVED + "csv"


class Csv:
    """A header line, then a question a line; `id` is optional ("row 1", "row 2", ... without it)."""

    name = "csv"
    title = "CSV (single-hop questions)"
    suffix = ".csv"
    rank = 7

    def heads(self, columns: Collection[str]) -> bool:
        return set(_NEEDED) <= set(columns)

    def read(self, path: Path) -> Iterator[Parsed | LateFlaws]:
        """Stream a table, or a folder of them. Raises Unreadable, also midway."""
        file = UniqueIds()
        for row in table_rows(path, _check):
            yield _parsed(row, file)

    def write(self, examples: Iterable[Example], out: BinaryIO) -> int:
        """Write the header and a line an example, with CRLF ends. Raises CannotWrite."""
        text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
        table = csv.writer(text)
        count, header, file = 0, list(_COLUMNS), UniqueIds()
        try:
            for count, example in enumerate(examples, 1):
                if count == 1:
                    header = _header_for(example)
                    table.writerow([guarded(column) for column in header])
                cells = _cells(example, header)
                record = dict(zip(header, cells, strict=True))
                row = Row(count, f"item {count}", record, tuple(storage_faults(record)))
                refuse_unreadable(example, _parsed(row, file).flaws)
                table.writerow([guarded(cell) for cell in cells])
            if not count:
                table.writerow(header)
        finally:
            text.detach()
        return count


def _check(header: list[str]) -> None:
    if missing := [column for column in _NEEDED if column not in header]:
        fix = f"Begin with a header line: {','.join(_NEEDED)}; or map the columns"
        raise bad_header(f"the columns {', '.join(missing)} are missing", fix)


def _parsed(row: Row, file: UniqueIds) -> Parsed:
    inspection = Inspection.of(row, (*_COLUMNS, *_OPTIONAL))
    if row.value is None:
        return Parsed(row.number, None, inspection.reportable())
    return file.parsed(row.number, _example(row.value, inspection, number=row.number), inspection)


def _example(record: dict[str, Any], inspection: Inspection, *, number: int) -> Example:
    text = record["text"]
    paragraphs = (Paragraph(record["title"], text),) if text.strip() else ()
    if not paragraphs:
        fields.note_closed_book("text", inspection)
    answer = fields.plain_answer(record["answer"], paragraphs)
    if answer not in {"", "yes", "no"} and not inspection.failed:
        fields.warn_of_absent_answer((answer,), paragraphs, inspection)
    extra = fields.extras(record, (*_COLUMNS, *_OPTIONAL), inspection)
    return Example(
        id=record.get("id") or f"row {number}",
        question=fields.needed_text(record, "question", inspection),
        paragraphs=paragraphs,
        answers=(answer,) if answer else (),
        answer_set=_answer_set(record, inspection),
        as_of=fields.optional_date(record, "as_of", inspection),
        extra=extra | {_NOTE: {"columns": list(record)}},
    )


def _answer_set(record: Mapping[str, str], inspection: Inspection) -> tuple[tuple[str, ...], ...]:
    """The answers in a cell with a JSON list."""
    cell = record.get("answer_set", "")
    try:
        value = json.loads(cell) if cell.strip() else None
    except (ValueError, RecursionError):
        value = cell
    return fields.answer_set({"answer_set": value}, "answer_set", inspection)


def _header_for(example: Example) -> list[str]:
    """The columns of the file that an example was imported from, with `id`; otherwise our own five columns."""
    columns = _columns(example)
    return columns if "id" in columns else ["id", *columns]


def _columns(example: Example) -> list[str]:
    note = example.extra.get(_NOTE)
    columns = note.get("columns") if isinstance(note, dict) else None
    if not fields.is_texts(columns) or not set(_NEEDED) <= set(columns or ()):
        columns = list(_COLUMNS)
    more = [name for name in _OPTIONAL if getattr(example, name) and name not in (columns or ())]
    return [*(columns or ()), *more]


def _cells(example: Example, header: Sequence[str]) -> list[str]:
    if len(example.paragraphs) > 1:
        raise CannotWrite(example.id, "CSV holds one paragraph a question")
    if example.options:
        raise CannotWrite(example.id, "CSV has no place for answer options")
    if lost := set(_columns(example)) - set(header):
        raise CannotWrite(example.id, f"the table has no column {min(lost)}")
    paragraph = example.paragraphs[0] if example.paragraphs else Paragraph("", "")
    core = {"id": example.id, "question": example.question, "answer": example.answer or ""}
    core |= {"title": paragraph.title, "text": paragraph.text}
    answers = [list(answer) for answer in example.answer_set]
    core |= {"as_of": example.as_of, "answer_set": json.dumps(answers, ensure_ascii=False) if answers else ""}
    texts = {name: value for name, value in fields.plain_extra(example.extra).items() if isinstance(value, str)}
    return [core.get(column, texts.get(column, "")) for column in header]


FORMAT = Csv()
