"""Read files record by record: JSON arrays, JSON lines and Parquet, plain or gzipped.

The type is detected from a file's first bytes, never from its name.
"""

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from annotation.formats.base import INSTALL_PARQUET, Flaw, Unreadable
from annotation.formats.file_kinds import ESCAPES, Kind, Recoded, kind_of_bytes, kind_of_zip, repaired, wide_encoding
from annotation.formats.json_text import MAX_RECORD, Decoder, Window
from annotation.formats.storable import Fault, shown, storable

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_BOM = b"\xef\xbb\xbf"
_BLOCK = 1 << 17  # bytes unpacked at a time
_PARQUET_ROWS = 256  # decoded at a time
_LISTS = ("data", "rows", "records", "examples", "items", "instances", "results")  # names of what wraps records


@dataclass(frozen=True, slots=True)
class Row:
    """A decoded record of a file. `value` is None if it could not be decoded (see `faults`).

    Faults without a `fix` are notes; those with `kept` matter only where something depends on their field.
    """

    number: int  # 1-based among the records
    place: str
    value: Any
    faults: tuple[Fault, ...] = ()
    raw: Any = None  # of JSON with faults: the value as it stands in the file

    @property
    def error(self) -> Fault | None:
        """The first fault that matters if every field does."""
        return next((fault for fault in self.faults if fault.fix), None)


def unreadable(wrong: str, fix: str, place: str = "the file") -> Unreadable:
    """An Unreadable about the file as a whole."""
    return Unreadable(Flaw("error", place, "", "content", wrong, fix))


@contextmanager
def opened(source: Path | bytes) -> Iterator[BinaryIO]:
    """A file's bytes, unpacked if gzipped, and UTF-8 if it is a text. Raises Unreadable if it holds no records."""
    try:
        with io.BufferedReader(io.BytesIO(source)) if isinstance(source, bytes) else source.open("rb") as plain:
            packed = plain.peek(2)[:2] == b"\x1f\x8b"
            stream = cast(BinaryIO, io.BufferedReader(Unpacked(cast(BinaryIO, plain)), _BLOCK) if packed else plain)
            if packed and head(stream).startswith(b"PAR1"):
                raise unreadable("it is a Parquet file, packed with gzip", "Unpack it: Parquet is packed already")
            yield _text_of(stream)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise unreadable("the gzip data is damaged", "Pack or fetch it again") from error
    except UnicodeDecodeError as error:
        raise unreadable("it is not UTF-8, or is cut off", "Save the file as UTF-8") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise unreadable(f"it cannot be opened: {reason}", "Give the path of a readable file") from error


def head(stream: BinaryIO, size: int = 4096) -> bytes:
    """Some of the first bytes, without a byte order mark, not taken from the stream."""
    return cast(bytes, stream.peek(size)).removeprefix(_BOM)  # type: ignore[attr-defined]  # all are buffered


def _text_of(stream: BinaryIO) -> BinaryIO:
    """The stream, or its text as UTF-8. Raises Unreadable for what is neither text nor Parquet."""
    start = head(stream)
    if start.startswith(b"PAR1"):
        return stream
    if start.startswith(_ZIP):
        raise _kind(kind_of_zip(stream) if stream.seekable() else ("a ZIP archive", "Unpack it"))
    if encoding := wide_encoding(start):
        return cast(BinaryIO, io.BufferedReader(Recoded(stream, encoding), _BLOCK))
    if kind := kind_of_bytes(start):
        raise _kind(kind)
    return stream


def _kind(kind: Kind) -> Unreadable:
    return unreadable(f"it is {kind[0]}", kind[1])


def rows(path: Path) -> Iterator[Row]:
    """The records of a JSON array, of JSON lines or of a Parquet file. Raises Unreadable, also midway.

    A folder's files are read in the order of their names: large datasets are released in several.
    """
    if path.is_dir():
        yield from folder_rows(path, rows)
        return
    with opened(path) as stream:
        start = head(stream).lstrip()
        if start.startswith(b"PAR1"):
            yield from parquet_rows(path)
        elif start.startswith(b"["):
            yield from array_rows(Window(stream))
        elif not start:
            _refuse_blank(stream)
        else:
            _refuse_pretty_object(start)
            yield from line_rows(stream)


def folder_rows(folder: Path, read: Callable[[Path], Iterator[Row]]) -> Iterator[Row]:
    """The records of a folder's files, numbered through, in the order of their names."""
    files, number = files_in(folder), 0
    if not files:
        raise unreadable("the folder is empty", "Give a file, or a folder with files")
    for file in files:
        for row in read(file):
            number += 1
            yield replace(row, number=number, place=f"{file.relative_to(folder)}, {row.place}")


def files_in(folder: Path) -> list[Path]:
    """The files of a folder in the order of their names, without hidden ones."""
    return sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))


def single_or_rows(path: Path) -> Iterator[Row]:
    """Like `rows`, but also reads a file with one object, which may be a record or hold the records."""
    row = _only_object(path)
    inside = records_in(row.value) if row else None
    if row is None:
        yield from rows(path)
    elif inside is None:
        yield row
    else:
        notes = tuple(fault for fault in row.faults if not fault.fix)
        for number, value in enumerate(inside, 1):
            yield Row(number, f"record {number}", value, notes if number == 1 else ())


def _only_object(path: Path) -> Row | None:
    """The one object of a file; None for a file with several records. Raises Unreadable for an object over lines."""
    with opened(path) as stream:
        lines = [line.strip() for line in head(stream).splitlines() if line.strip()]
        if not lines or not lines[0].startswith(b"{") or any(line.startswith(b"{") for line in lines[1:2] if line[1:]):
            return None
        may_be_lines, window = len(lines) == 1, Window(stream)  # the first line may be longer than what is seen of it
        try:
            row = _element(window, 1)
            if window.peek():
                window.refuse("more text follows the object", "Put one object in a file, or one on each line")
        except Unreadable:
            if may_be_lines:
                return None
            raise
    return row


def _refuse_blank(stream: BinaryIO) -> None:
    if stream.read(MAX_RECORD).removeprefix(_BOM).strip():
        raise unreadable("it begins with a page of white space", "Remove the white space at the top")
    raise unreadable("it is empty", "Give a file with at least one record")


def _refuse_pretty_object(start: bytes) -> None:
    if start.split(b"\n", 1)[0].strip() == b"{" or not has_objects(start):
        wrong = f"it begins with {shown(start[:20].decode('utf-8', 'replace'))!r}"
        raise unreadable(wrong, "Give a JSON array of records, or one record a line", "line 1")


def has_objects(start: bytes) -> bool:
    """Whether the first lines are JSON objects, of which one may be broken."""
    lines = [line.strip() for line in start.splitlines()[:20] if line.strip()]
    return start.startswith(b"{") or 2 * sum(line.startswith(b"{") for line in lines) > len(lines)


def array_rows(window: Window) -> Iterator[Row]:
    """The elements of the array that starts here, up to the end of the text."""
    yield from elements(window)
    if window.peek():
        window.refuse("more text follows the array", "End the file after the closing ]")


def elements(window: Window) -> Iterator[Row]:
    """The elements of the array that starts here, up to its closing bracket."""
    window.take("[", "Begin the array with [")
    if window.peek() == "]":
        window.take("]", "")
        return
    number = 0
    while True:
        number += 1
        yield _element(window, number)
        fix = f"Put a comma or the closing ] after record {number}; without it the file is cut off"
        if window.take(",]", fix) == "]":
            return


def _element(window: Window, number: int) -> Row:
    value = window.value()
    notes, window.notes = window.notes, []
    return Row(number, f"record {number}", value, (*notes, *window.decoder.faults), window.decoder.raw)


def line_rows(stream: BinaryIO) -> Iterator[Row]:
    """One record per line; blank lines are skipped, and an invalid line does not stop the reader."""
    decoder, number = Decoder(), 0
    for line, raw in enumerate(iter(partial(stream.readline, MAX_RECORD + 1), b""), 1):
        if len(raw) > MAX_RECORD:
            wrong = f"a line of more than {MAX_RECORD >> 20} million bytes"
            raise unreadable(wrong, "Put one record on each line", f"line {line}")
        text = raw.removeprefix(_BOM) if line == 1 else raw
        if text.strip():
            number += 1
            yield _line_row(decoder, text, number=number, place=f"line {line}")


def _line_row(decoder: Decoder, raw: bytes, *, number: int, place: str) -> Row:
    text, note = repaired(raw.decode("utf-8", ESCAPES).strip(" \t\r\n"))
    try:
        value, end = decoder.decode(text)
        if end != len(text):
            raise json.JSONDecodeError("Put one record on each line", text, end)
    except json.JSONDecodeError as error:
        wrong = f"not JSON at character {error.pos + 1}, near {shown(text[error.pos :], 30)!r}"
        return Row(number, place, None, (Fault("line", wrong, error.msg),))
    except RecursionError:
        fault = Fault("line", "lists or objects nested too deeply", "Nest at most 100 levels")
        return Row(number, place, None, (fault,))
    return Row(number, place, value, (*([note] if note else ()), *decoder.faults), decoder.raw)


def parquet_rows(path: Path) -> Iterator[Row]:
    """The rows of a Parquet file as objects of its columns."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise unreadable("reading Parquet needs a package that is not installed", f"Run {INSTALL_PARQUET}") from None

    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            number, unpacked, packed = 0, 0, path.stat().st_size
            for batch in table.iter_batches(batch_size=_PARQUET_ROWS):
                unpacked += sum(_plain_size(column) for column in batch.columns)
                check(unpacked, packed)
                for value in _of_microseconds(batch).to_pylist():
                    number, faults = number + 1, list[Fault]()
                    yield Row(number, f"record {number}", storable(value, "", faults), tuple(faults))
    except (pyarrow.ArrowException, ValueError) as error:
        raise unreadable("it is a Parquet file, and damaged or cut off", "Fetch it again") from error


def _of_microseconds(batch: Any) -> Any:
    """A batch without nanoseconds, of which Python's times have none."""
    import pyarrow

    def plain(kind: Any) -> Any:
        if pyarrow.types.is_timestamp(kind):
            return pyarrow.timestamp("us", kind.tz)
        if pyarrow.types.is_duration(kind):
            return pyarrow.duration("us")
        if pyarrow.types.is_time64(kind):
            return pyarrow.time64("us")
        if pyarrow.types.is_struct(kind):
            return pyarrow.struct([field.with_type(plain(field.type)) for field in kind])
        return pyarrow.list_(plain(kind.value_type)) if pyarrow.types.is_list(kind) else kind

    schema = pyarrow.schema([field.with_type(plain(field.type)) for field in batch.schema])
    return batch if schema == batch.schema else pyarrow.Table.from_batches([batch]).cast(schema, safe=False)


def _plain_size(column: Any) -> int:
    """Size of a column in bytes, with dictionary encoding expanded."""
    return int((column.dictionary_decode() if hasattr(column, "dictionary_decode") else column).nbytes)


FREE = 16 << 20  # bytes that any file may become
MOST_TIMES = 200  # of its own size beyond that; text packs to a third, very repetitive records to a hundredth


def check(unpacked: int, packed: int) -> None:
    """Raise Unreadable if the ratio of unpacked to packed bytes suggests a decompression bomb."""
    if unpacked > FREE and unpacked > MOST_TIMES * packed:
        wrong = f"it unpacks to more than {MOST_TIMES} times its size"
        raise unreadable(
            wrong, "Unpack it yourself and look whether it holds what it should, then give the unpacked file"
        )


class Unpacked(io.RawIOBase):
    """The content of a gzipped file, block by block. Raises Unreadable if it unpacks to far too much."""

    def __init__(self, plain: BinaryIO) -> None:
        self._plain, self._out = plain, 0
        self._inner = gzip.GzipFile(fileobj=plain)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._inner.read(len(buffer))
        buffer[: len(block)] = block
        self._out += len(block)
        check(self._out, self._plain.tell())
        return len(block)


def records_in(value: Any) -> Sequence[Any] | None:
    """The records that an object holds, as programs wrap them: `{"data": [...]}`, and pandas' layouts of a whole table.

    None if it is a record itself.
    """
    if not isinstance(value, dict):
        return None
    for name in _LISTS:
        members = value.get(name)
        if not isinstance(members, list) or not members:
            continue
        if all(isinstance(each, dict) for each in members):
            inner = [each.get("row") for each in members]  # as the Hub's server of rows has them
            return inner if all(isinstance(each, dict) for each in inner) else members
        columns = value.get("columns")
        if isinstance(columns, list) and all(isinstance(each, list) and len(each) == len(columns) for each in members):
            return [dict(zip(map(str, columns), each, strict=True)) for each in members]
    return _turned(value)


def _turned(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of an object of objects, of which one level numbers or names the rows."""
    inner = list(value.values())
    if len(inner) < 2 or not all(isinstance(each, dict) and each for each in inner):
        return None
    if all(key.isdecimal() for key in value):
        return inner
    if all("question" in each for each in inner):  # questions by their ids
        return [{"id": key, **each} for key, each in value.items()]
    numbers = list(inner[0])
    if all(number.isdecimal() for number in numbers) and all(list(each) == numbers for each in inner):
        return [{column: each[number] for column, each in value.items()} for number in numbers]
    return None
