"""Tables of any program as lines of cells: CSV with any separator and encoding, and Excel workbooks.

Blank lines are left out. A quote that is opened and not closed takes only its own line: it is a fault of that line,
and the lines after it are read by themselves.
"""

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.formats.base import Unreadable
from annotation.formats.file_kinds import ESCAPES, WORKBOOK, kind_of_zip, repaired
from annotation.formats.json_text import MAX_RECORD
from annotation.formats.storable import Fault, shown
from annotation.formats.streams import has_objects, head, opened, unreadable
from annotation.pure.text.spreadsheet import unguarded

SEPARATORS = ",;\t|"
LONGEST_CELL = 10_000  # lines; a quote that is still open then takes what does not belong to it
_SEP = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_SAMPLE = 20  # lines in which the separator is looked for
_SWALLOWED = 4  # separators in the further lines of a cell that look like lines of the table themselves


@dataclass(frozen=True, slots=True)
class Line:
    """A line of cells; no cells if it could not be read (see `faults`)."""

    number: int  # of the first line of the file that it takes, from 1
    cells: list[str]
    faults: tuple[Fault, ...] = ()


class Lines:
    """An iterator of a table's lines. Set `width` and `least` (see `fits`) once the header is known."""

    width = least = 0

    def __init__(self, lines: Iterator[str]) -> None:
        csv.field_size_limit(MAX_RECORD)
        self._lines = lines
        self._again: deque[str] = deque()
        self._doubtful = 0  # lines ahead that a quote took first
        self._number = 0
        first = self._peek(_SAMPLE)
        if first and (stated := _SEP.fullmatch(first[0])):
            self._next()
            self.separator = stated[1]
        else:
            self.separator = _separator([line for line in first if line.strip()])

    def __iter__(self) -> Iterator[Line]:
        return self

    def __next__(self) -> Line:
        while True:
            line = self._line()
            if line.faults or any(cell.strip() for cell in line.cells):
                return line

    def ahead(self) -> list[list[str]]:
        """The cells of the next lines, as far as each is a line by itself."""
        lines = [line for line in self._peek(_SAMPLE) if line.strip()]
        return [next(csv.reader([repaired(line)[0]], delimiter=self.separator), []) for line in lines]

    def _peek(self, count: int) -> list[str]:
        self._again.extend(islice(self._lines, max(0, count - len(self._again))))
        return list(islice(self._again, count))

    def _next(self) -> str | None:
        line = self._again.popleft() if self._again else next(self._lines, None)
        self._number += line is not None
        return line

    def _line(self) -> Line:
        start, taken = self._number + 1, list[str]()
        try:
            cells = next(csv.reader(self._feed(taken), delimiter=self.separator, strict=True))
        except csv.Error as error:
            return self._refused(start, taken, _in_words(error))
        if len(taken) > 1 and (not self._fits(cells) or self._looks_swallowed(taken)):
            return self._refused(start, taken, "")
        if self._doubtful and len(taken) == 1 and taken[0].count('"') % 2:
            return self._refused(start, taken, "a quote has no second one")
        self._doubtful = max(0, self._doubtful - len(taken))
        return self._repaired(start, cells)

    def _feed(self, taken: list[str]) -> Iterator[str]:
        while len(taken) < LONGEST_CELL and (line := self._next()) is not None:
            taken.append(line)
            yield line

    def _fits(self, cells: Sequence[str]) -> bool:
        return not self.width or fits(cells, self.least, self.width)

    def _looks_swallowed(self, taken: Sequence[str]) -> bool:
        """Whether each further line of a cell would be a line of the table by itself."""
        inside = [line.count(self.separator) for line in taken[1:]]
        return set(inside) == {self.width - 1} and sum(inside) >= _SWALLOWED

    def _refused(self, start: int, taken: list[str], why: str) -> Line:
        """The first line as an error, or as text without quotes; the others are read again."""
        rest = taken[1:]
        self._again.extendleft(reversed(rest))
        self._number -= len(rest)
        self._doubtful = max(len(rest), self._doubtful - 1)
        if self.separator == "\t" and self.width and not rest:
            cells = taken[0].rstrip("\r\n").split("\t")
            if self._fits(cells):
                return self._repaired(start, cells)
        fix = 'Close the quote, or double quotes that are text: ""'
        if rest:
            end = ", up to the end of the file" if not self._peek(len(rest) + 1)[len(rest) :] else ""
            why = f"a quote that is opened here takes {len(taken)} lines{end}"
        return Line(start, [], (Fault("row", why, fix),))

    def _repaired(self, number: int, cells: list[str]) -> Line:
        pairs = [repaired(cell) for cell in cells]
        faults = tuple(dict.fromkeys(fault for _, fault in pairs if fault))
        return Line(number, [text for text, _ in pairs], faults)


def fits(cells: Sequence[str], least: int, most: int) -> bool:
    """Whether a line has so many cells; further ones may only be blank."""
    return len(cells) >= least and not any(map(str.strip, cells[most:]))


def _in_words(error: csv.Error) -> str:
    if "expected after" in str(error):
        return "text follows a closing quote"
    return "a quote is opened and not closed" if "end of data" in str(error) else shown(error)


def _separator(lines: Sequence[str]) -> str:
    """The separator that parts the first lines into equally many cells, and the first one into most."""
    best, most = ",", (0.0, 1)
    spaced = lines and lines[0].startswith('"') and '" "' in lines[0]  # as R writes tables
    for separator in SEPARATORS + " " * bool(spaced):
        widths = [len(next(csv.reader([line], delimiter=separator), [])) for line in lines]
        if widths and widths[0] > 1:
            best, most = max((best, most), (separator, (widths.count(widths[0]) / len(widths), widths[0])), key=_second)
    return best


def _second(pair: tuple[str, tuple[float, int]]) -> tuple[float, int]:
    return pair[1]


@contextmanager
def lines_of(source: Path | bytes) -> Iterator[Lines]:
    """The lines of a CSV file or of the first sheet of an Excel workbook. Raises Unreadable, also midway."""
    if is_workbook(source):
        with _sheet(source) as lines:
            yield lines
        return
    with opened(source) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors=ESCAPES, newline="")
        try:
            yield Lines(iter(partial(text.readline, MAX_RECORD), ""))
        finally:
            text.detach()


def all_lines(content: bytes | Iterable[str]) -> Iterator[tuple[int, list[str], str]]:
    """(number, cells, what is wrong or "") of each line of an uploaded or typed table; also of one that cannot be read.

    Cells are stripped, and restored if they were guarded for spreadsheets.
    """
    source = content if isinstance(content, bytes) else "\n".join(map(str.strip, content)).encode("utf-8", ESCAPES)
    try:
        with lines_of(source) as lines:
            for line in lines:
                cells = [unguarded(cell.strip()).replace("\x00", "") for cell in line.cells]
                wrong = next((f"{fault.wrong}. {fault.fix}" for fault in line.faults if fault.fix), "")
                yield line.number, cells, wrong
    except Unreadable as unread:
        yield 1, [], f"{unread.flaw.wrong}. {unread.flaw.fix}"


def is_table(source: Path | bytes) -> bool:
    """Whether a file is a workbook, or has text that does not begin like JSON. Raises Unreadable."""
    if is_workbook(source):
        return True
    with opened(source) as stream:
        start = head(stream).lstrip()
    return bool(start) and not start.startswith((b"PAR1", b"{", b"[")) and not has_objects(start)


def is_workbook(source: Path | bytes) -> bool:
    """Whether a file is an Excel workbook that can be read, since the library is there."""
    if find_spec("openpyxl") is None:
        return False
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
            return file.read(2) == b"PK" and kind_of_zip(file)[0] == WORKBOOK
    except OSError:
        return False  # `opened` says why


@contextmanager
def _sheet(source: Path | bytes) -> Iterator[Lines]:
    openpyxl: Any = import_module("openpyxl")

    file: Any = io.BytesIO(source) if isinstance(source, bytes) else source
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception as error:  # the library raises whatever it meets in a broken workbook
        fix = "Open it in a spreadsheet program, and save it as CSV (UTF-8)"
        raise unreadable(f"it is {WORKBOOK} that cannot be opened", fix) from error
    try:
        yield _SheetLines(book.worksheets[0].iter_rows(values_only=True))
    finally:
        book.close()


class _SheetLines(Lines):
    """The lines of a sheet, whose cells are values."""

    def __init__(self, rows: Iterator[Sequence[Any]]) -> None:
        super().__init__(iter(()))
        self._rows, self._next_rows = rows, deque[Sequence[Any]]()

    def ahead(self) -> list[list[str]]:
        self._next_rows.extend(islice(self._rows, _SAMPLE))
        rows = ([_cell(value) for value in row] for row in self._next_rows)
        return [row for row in rows if any(row)]

    def _line(self) -> Line:
        row = self._next_rows.popleft() if self._next_rows else next(self._rows)
        self._number += 1
        return Line(self._number, [_cell(value) for value in row])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()  # as a spreadsheet shows and saves it
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()  # a day, which sheets hold as its midnight
    return value.isoformat() if isinstance(value, date | time) else str(value)
