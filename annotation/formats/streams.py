"""Read files record by record: JSON arrays, JSON lines and Parquet, plain or gzipped.

The type is detected from a file's first bytes, never from its name.
"""

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from annotation.formats.base import INSTALL_PARQUET, Flaw, Unreadable
from annotation.formats.json_text import MAX_RECORD, Decoder, Fault, Window, shown, storage_faults

_UTF_16_OR_32 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"
_BLOCK = 1 << 17  # bytes unpacked at a time
_PARQUET_ROWS = 256  # decoded at a time


@dataclass(frozen=True, slots=True)
class Row:
    """A decoded record of a file. `value` is None if it could not be decoded (see `faults`)."""

    number: int  # 1-based among the records
    place: str
    value: Any
    faults: tuple[Fault, ...] = ()


def unreadable(wrong: str, fix: str, place: str = "the file") -> Unreadable:
    """An Unreadable about the file as a whole."""
    return Unreadable(Flaw("error", place, "", "content", wrong, fix))


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file's bytes, unpacked if gzipped. Raises Unreadable if it is no file of UTF-8 text."""
    try:
        with path.open("rb") as plain:
            packed = plain.peek(2)[:2] == b"\x1f\x8b"
            stream = cast(BinaryIO, io.BufferedReader(Unpacked(plain), _BLOCK) if packed else plain)
            _refuse_other_encodings(stream)
            yield stream
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise unreadable(f"the gzip data is damaged ({shown(error)})", "Pack or fetch it again") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise unreadable(f"it cannot be opened: {reason}", "Give the path of a readable file") from error


def head(stream: BinaryIO, size: int = 4096) -> bytes:
    """Some of the first bytes, without a byte order mark, not taken from the stream."""
    return cast(bytes, stream.peek(size)).removeprefix(_BOM)  # type: ignore[attr-defined]


def _refuse_other_encodings(stream: BinaryIO) -> None:
    first = head(stream, 4)[:4]
    if first.startswith(_UTF_16_OR_32) or (b"\x00" in first):
        raise unreadable("the text is UTF-16, UTF-32 or not text at all", "Save the file as UTF-8")


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
    files, number = sorted(part for part in folder.rglob("*") if part.is_file()), 0
    if not files:
        raise unreadable("the folder is empty", "Give a file, or a folder with files")
    for file in files:
        for row in read(file):
            number += 1
            yield replace(row, number=number, place=f"{file.relative_to(folder)}, {row.place}")


def single_or_rows(path: Path) -> Iterator[Row]:
    """Like `rows`, but also reads a file with one object over several lines."""
    with opened(path) as stream:
        lines = head(stream).lstrip().split(b"\n", 1)
        if len(lines) == 1 or not lines[0].startswith(b"{") or _is_whole(lines[0]):
            yield from rows(path)
            return
        window = Window(stream)
        yield Row(1, "record 1", window.value(), tuple(window.decoder.faults))
        if window.peek():
            window.refuse("more text follows the object", "Put one object in a file, or one on each line")


def _is_whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse_blank(stream: BinaryIO) -> None:
    if stream.read(MAX_RECORD).removeprefix(_BOM).strip():
        raise unreadable("it begins with a page of white space", "Remove the white space at the top")
    raise unreadable("it is empty", "Give a file with at least one record")


def _refuse_pretty_object(start: bytes) -> None:
    if start.split(b"\n", 1)[0].strip() == b"{" or not start.startswith(b"{"):
        wrong = f"it begins with {shown(start[:20].decode('utf-8', 'replace'))!r}"
        raise unreadable(wrong, "Give a JSON array of records, or one record a line", "line 1")


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
        value = window.value()
        yield Row(number, f"record {number}", value, tuple(window.decoder.faults))
        fix = f"Put a comma or the closing ] after record {number}; without it the file is cut off"
        if window.take(",]", fix) == "]":
            return


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
    try:
        text = raw.decode("utf-8").strip(" \t\r\n")
        value, end = decoder.decode(text)
        if end != len(text):
            raise json.JSONDecodeError("Put one record on each line", text, end)
    except UnicodeDecodeError as error:
        wrong = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
        return Row(number, place, None, (Fault("line", wrong, "Save the file as UTF-8"),))
    except json.JSONDecodeError as error:
        wrong = f"not JSON at character {error.pos + 1}, near {shown(text[error.pos :], 30)!r}"
        return Row(number, place, None, (Fault("line", wrong, error.msg),))
    except RecursionError:
        fault = Fault("line", "lists or objects nested too deeply", "Nest at most 100 levels")
        return Row(number, place, None, (fault,))
    return Row(number, place, value, tuple(decoder.faults))


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
                for value in batch.to_pylist():
                    number += 1
                    yield Row(number, f"record {number}", value, tuple(storage_faults(value)))
    except (pyarrow.ArrowException, ValueError) as error:
        raise unreadable(f"not a whole Parquet file ({shown(error)})", "Fetch it again") from error


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
