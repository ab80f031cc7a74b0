"""Tables with a line of names, CSV or Excel, record by record, and whatever `streams` reads."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path

from annotation.formats.base import Unreadable
from annotation.formats.cells import Line, Lines, fits, is_table, lines_of
from annotation.formats.storable import Fault, storable
from annotation.formats.streams import Row, folder_rows, single_or_rows, unreadable
from annotation.pure.text.spreadsheet import unguarded

Check = Callable[[list[str]], None]
_SAMPLE = 200  # lines in which columns without a name may hold something


def any_rows(path: Path) -> Iterator[Row]:
    """The records of JSON, JSON lines, Parquet or a table, in a file or in all files of a folder. Raises Unreadable."""
    if path.is_dir():
        return folder_rows(path, any_rows)
    return table_rows(path) if is_table(path) else single_or_rows(path)


def header_of(path: Path) -> list[str]:
    """The names of a table's columns. Raises Unreadable."""
    with lines_of(path) as lines:
        return _Columns(lines).names


def no_check(header: list[str]) -> None:
    """Any header will do."""


def table_rows(source: Path | bytes, check: Check = no_check) -> Iterator[Row]:
    """The lines of a table as objects of its columns. Raises Unreadable, also midway.

    `check` raises Unreadable for a header. A folder's files are read in the order of their names.
    """
    if isinstance(source, Path) and source.is_dir():
        yield from folder_rows(source, partial(table_rows, check=check))
        return
    with lines_of(source) as lines:
        columns = _Columns(lines)
        check(columns.names)
        for number, line in enumerate(columns.lines, 1):
            yield columns.row(number, line)


class _Columns:
    """A table's columns: `places` has each one's name by its place in a line.

    Columns without a name are numbered, or left out if nothing is in them.
    """

    def __init__(self, lines: Lines) -> None:
        header = self._header(lines)
        lines.width = self.width = len(header)
        lines.least = self.least = max((at + 1 for at, name in enumerate(header) if name), default=0)
        sample = list(islice(lines, _SAMPLE))
        self.lines = chain(sample, lines)
        filled = {at for line in sample for at, cell in enumerate(line.cells[: len(header)]) if cell.strip()}
        self.places = {at: name or f"column {at + 1}" for at, name in enumerate(header) if name or at in filled}
        self.names = list(self.places.values())
        self._notes = [
            Fault(name, "the column has no name", "", "It is kept under its number")
            for at, name in self.places.items()
            if not header[at]
        ]
        if twice := next((name for name in self.names if self.names.count(name) > 1), ""):
            one, two = [at for at, name in self.places.items() if name == twice][:2]
            wrong = f"column {two + 1} has the name of another, column {one + 1}: {twice!r}"
            raise bad_header(wrong, "Give each column a name of its own")

    @staticmethod
    def _header(lines: Lines) -> list[str]:
        line = next(lines, None)
        if line is None:
            raise unreadable("it is empty", "Give a file with at least one record")
        if error := next((fault for fault in line.faults if fault.fix), None):
            raise bad_header(error.wrong, error.fix, line.number)
        header = [unguarded(cell).strip() for cell in line.cells]
        ahead = lines.ahead()
        if len([*filter(None, header)]) == 1 and any(len([*filter(str.strip, cells)]) > 2 for cells in ahead):
            wrong = "it looks like a title: it has one cell, and the lines below have more"
            raise bad_header(wrong, "Remove the lines above the names of the columns", line.number)
        if "" not in header and ahead and all(len(cells) == len(header) + 1 and cells[-1].strip() for cells in ahead):
            return ["", *header]  # R names the rows in a column of its own, without a place in the header
        return header

    def row(self, number: int, line: Line) -> Row:
        """The record of a line; the first one also has the notes on the header."""
        place, notes = f"line {line.number}", self._notes
        if not line.cells:
            return Row(number, place, None, line.faults)
        self._notes = []
        if not fits(line.cells, self.least, self.width):
            wrong = f"{len(line.cells)} cells for {self.width} columns"
            return Row(number, place, None, (Fault("row", wrong, "Give one for each column"),))
        given = [*line.cells, *[""] * (self.width - len(line.cells))]
        lost = next((at for at in range(self.width) if at not in self.places and given[at].strip()), None)
        if lost is not None:
            wrong = f"column {lost + 1} holds something here, and has no name"
            return Row(number, place, None, (Fault("row", wrong, "Name the column, or empty it"),))
        faults = [*line.faults, *notes]
        cells = {name: unguarded(given[at]) for at, name in self.places.items()}
        return Row(number, place, storable(cells, "", faults), tuple(faults))


def bad_header(wrong: str, fix: str, line: int = 1) -> Unreadable:
    """An Unreadable about the line of names."""
    return unreadable(wrong, fix, f"line {line}")
