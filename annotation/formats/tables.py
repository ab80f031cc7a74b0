"""Tables record by record: CSV with a header line, and whatever `streams` reads, told by their first bytes."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from annotation.formats.base import Unreadable
from annotation.formats.fields import RESERVED
from annotation.formats.json_text import MAX_RECORD, Fault, shown, storage_faults
from annotation.formats.streams import Row, folder_rows, head, opened, single_or_rows, unreadable
from annotation.pure.text.spreadsheet import unguarded

Check = Callable[[list[str]], None]


def any_rows(path: Path) -> Iterator[Row]:
    """The records of JSON, JSON lines, Parquet or CSV, in a file or in all files of a folder. Raises Unreadable."""
    if path.is_dir():
        return folder_rows(path, any_rows)
    return csv_rows(path) if is_csv(path) else single_or_rows(path)


def is_csv(path: Path) -> bool:
    """Whether a file has text that does not begin like JSON."""
    with opened(path) as stream:
        start = head(stream).lstrip()
    return bool(start) and not start.startswith((b"PAR1", b"{", b"["))


def cells_of(line: str) -> list[str]:
    """The cells of a header line. Raises Unreadable for a line that is none."""
    try:
        return [unguarded(cell).strip() for cell in next(csv.reader([line], delimiter=_delimiter(line)), [])]
    except csv.Error as error:
        raise bad_header(shown(error)) from error


def no_check(header: list[str]) -> None:
    """Any header will do."""


def csv_rows(path: Path, check: Check = no_check) -> Iterator[Row]:
    """The lines of a UTF-8 table with commas, semicolons or tabs, as objects of its columns.

    `check` raises Unreadable for a header. A folder's files are read in the order of their names.
    """
    if path.is_dir():
        yield from folder_rows(path, partial(csv_rows, check=check))
        return
    with opened(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        try:
            yield from _rows(text, check)
        except UnicodeDecodeError as error:
            byte = f"the byte 0x{error.object[error.start]:02x} is not UTF-8"
            raise unreadable(byte, "Save the file as UTF-8") from error
        finally:
            text.detach()


def _rows(lines: Iterator[str], check: Check) -> Iterator[Row]:
    csv.field_size_limit(MAX_RECORD)
    first = next(lines, "")
    table = csv.reader(chain([first], lines), delimiter=_delimiter(first), strict=True)
    header = _header(table)
    check(header)
    if not header:
        raise unreadable("it is empty", "Give a file with at least one record")
    number = 0
    while True:
        place = f"line {table.line_num + 1}"
        try:
            cells = next(table, None)
        except csv.Error as error:
            number += 1
            yield Row(number, place, None, (Fault("row", shown(error), 'Put cells with quotes between "", doubled'),))
            continue
        if cells is None:
            return
        if cells:
            number += 1
            yield _row(number, place, header, cells)


def _delimiter(line: str) -> str:
    return max(",;\t", key=line.count)


def _header(table: Iterator[list[str]]) -> list[str]:
    try:
        header = [unguarded(cell).strip() for cell in next(table, [])]
    except csv.Error as error:
        raise bad_header(shown(error)) from error
    if "" in header or len(set(header)) < len(header):
        raise bad_header("a column has no name or the name of another")
    if any(column.startswith(RESERVED) for column in header):
        raise bad_header("names that begin with @ are reserved")
    return header


def bad_header(wrong: str, fix: str = "Begin with a line that names each column once") -> Unreadable:
    """An Unreadable about the first line."""
    return unreadable(wrong, fix, "line 1")


def _row(number: int, place: str, header: Sequence[str], cells: Sequence[str]) -> Row:
    if len(cells) != len(header):
        wrong = f"{len(cells)} cells for {len(header)} columns"
        return Row(number, place, None, (Fault("row", wrong, "Give one for each column"),))
    return row_of(number, place, {column: unguarded(cell) for column, cell in zip(header, cells, strict=True)})


def row_of(number: int, place: str, record: dict[str, str]) -> Row:
    """A line's record, with the faults of its texts."""
    return Row(number, place, record, tuple(storage_faults(record)))
