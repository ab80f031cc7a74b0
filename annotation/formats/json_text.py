"""Incremental JSON decoding, so that a file larger than memory can be read record by record.

Python's decoder accepts values that databases cannot store (lone surrogates, NaN, numbers beyond a double) and
duplicate keys, which lose content. `Decoder` reports these as faults; `Window` feeds it a moving part of the
text.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, NoReturn

from annotation.formats.base import Flaw, Unreadable

CHUNK = 1 << 20  # bytes read at a time
MAX_RECORD = 32 << 20  # characters of one record; more is not a record of text but a wrong file
MAX_DIGITS = 1000  # of an integer
MAX_DEPTH = 100  # of lists and objects in each other

_SPACE = re.compile(r"[ \t\r\n]*")
_TAIL = 16  # a decoder's error this close to the end of a window may come from the cut
_NOT_STORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class Fault(NamedTuple):
    """A flaw of a value, without its place in the file."""

    field: str
    wrong: str
    fix: str


class Decoder:
    """JSON to Python values. After each call `faults` lists decoded values that must not be stored."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._decode = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_float=self._float,
            parse_int=self._int,
        ).raw_decode

    def decode(self, text: str, start: int = 0) -> tuple[Any, int]:
        """(value, end) of the JSON value at `start`. Raises JSONDecodeError, RecursionError."""
        self.faults = []
        value, end = self._decode(text, start)
        if text.find("\\u", start, end) >= 0 and _NOT_STORABLE.search(text, start, end):
            self.faults += storage_faults(value)
        return value, end

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) != len(pairs):
            keys = [key for key, _ in pairs]
            for key in {key for key in keys if keys.count(key) > 1}:
                self._note(key, "the key stands twice in one object", "Keep one of them")
        return record

    def _constant(self, name: str) -> None:
        self._note(name, f"{name} is not a JSON value", "Use a number, a string or null")

    def _float(self, digits: str) -> float:
        number = float(digits)
        if number in (float("inf"), float("-inf")):
            self._note(shown(digits), "the number is too large for a double", "Use a smaller one or a string")
            return 0.0
        return number

    def _int(self, digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            wrong = f"an integer of {len(digits)} digits"
            self._note(shown(digits), wrong, f"Use at most {MAX_DIGITS} digits, or a string")
            return 0
        return int(digits)

    def _note(self, field: str, wrong: str, fix: str) -> None:
        self.faults.append(Fault(shown(field), wrong, fix))


def shown(text: object, length: int = 60) -> str:
    """A value as a message shows it: on one line, storable, and cut after `length` characters."""
    line = " ".join(str(text).split()).replace("\x00", "\\u0000")
    line = line.encode("utf-8", "backslashreplace").decode("utf-8")
    return line if len(line) <= length else line[: length - 1] + "…"


def storage_faults(value: object, path: str = "", depth: int = 0) -> Iterator[Fault]:
    """Faults of a value that JSON columns cannot store: NUL, lone surrogates, odd types, depth."""
    if isinstance(value, str):
        yield from _text_faults(value, path)
    elif isinstance(value, dict | list):
        if depth == MAX_DEPTH:
            yield Fault(path, f"nested deeper than {MAX_DEPTH} levels", "Flatten it")
            return
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from _text_faults(key, f"the key {shown(key)!r}") if isinstance(key, str) else ()
            yield from storage_faults(item, joined(path, key), depth + 1)
    elif isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            yield Fault(path, f"{value} is not a JSON value", "Use a number, a string or null")
    elif value is not None and not isinstance(value, bool | int):
        yield Fault(path, f"a {type(value).__name__} is not a JSON value", "Use a string")


def joined(path: str, key: str | int) -> str:
    """The path of a member: `context[3]`, `answers.text`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{shown(key)}" if path else shown(key)


def _text_faults(text: str, path: str) -> Iterator[Fault]:
    if "\x00" in text:
        yield Fault(path, "the text contains a NUL character", "Remove \\u0000")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        yield Fault(path, f"the text contains half a surrogate pair (\\u{code:04x})", "Repair the character")


class Window:
    """A moving window on a JSON text: `peek`, `take` and `value` go forward and read on as needed.

    Raises Unreadable, with a line number, for text that is not JSON, not UTF-8 or cut off.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.decoder = Decoder()
        self.buffer = ""
        self.position = 0
        self._stream = stream
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._lines = 0  # line ends before the buffer
        self._over = False

    def peek(self) -> str:
        """The next character that is not white space; "" at the end of the text."""
        while True:
            match = _SPACE.match(self.buffer, self.position)
            self.position = match.end() if match else self.position
            if self.position < len(self.buffer):
                return self.buffer[self.position]
            if not self._read_on():
                return ""

    def take(self, allowed: str, fix: str) -> str:
        """Step over the next character, which must be one of `allowed`."""
        char = self.peek()
        if not char or char not in allowed:
            self.refuse(f"found {shown(char)!r}" if char else "the text ends", fix)
        self.position += 1
        return char

    def value(self) -> Any:
        """The JSON value that starts here; `decoder.faults` then lists its faults."""
        self.peek()
        while True:
            try:
                value, end = self.decoder.decode(self.buffer, self.position)
            except json.JSONDecodeError as error:
                if self._may_be_cut(error) and self._read_on():
                    continue
                self._refuse_syntax(error)
            except RecursionError:
                self.refuse("lists or objects nested too deeply", f"Nest at most {MAX_DEPTH} levels")
            if end > len(self.buffer) - _TAIL and self._read_on():
                continue
            self.position = end
            return value

    def refuse(self, wrong: str, fix: str, position: int | None = None) -> NoReturn:
        """Raise Unreadable with the line number of `position` in the buffer (default: the current one)."""
        at = self.position if position is None else position
        line = 1 + self._lines + self.buffer.count("\n", 0, at)
        raise Unreadable(Flaw("error", f"line {line}", "", "JSON", wrong, fix))

    def _may_be_cut(self, error: json.JSONDecodeError) -> bool:
        return error.pos > len(self.buffer) - _TAIL or error.msg.startswith("Unterminated string")

    def _refuse_syntax(self, error: json.JSONDecodeError) -> NoReturn:
        ended = not self.buffer[error.pos :].strip() or error.msg.startswith("Unterminated string")
        if self._over and ended:
            self.refuse("the text ends inside a value", "The file seems cut off: fetch it again", error.pos)
        near = shown(self.buffer[error.pos : error.pos + 30], 30)
        self.refuse(f"not JSON near {near!r}", f"{error.msg[:1].upper()}{error.msg[1:]}", error.pos)

    def _read_on(self) -> bool:
        rest = len(self.buffer) - self.position
        if self._over:
            return False
        if rest > MAX_RECORD:
            self.refuse(f"a value of more than {MAX_RECORD >> 20} million characters", "Split it into records")
        piece = self._piece(max(CHUNK, rest))
        if not piece:
            return False
        self._lines += self.buffer.count("\n", 0, self.position)
        self.buffer = self.buffer[self.position :] + piece
        self.position = 0
        return True

    def _piece(self, size: int) -> str:
        """The next decoded text, "" only at the end."""
        piece = ""
        while not piece and not self._over:
            chunk = self._stream.read(size)
            self._over = not chunk
            try:
                piece = self._utf8.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                self._lines += chunk.count(b"\n", 0, error.start)
                fix = "Save the file as UTF-8"
                self.refuse(f"the byte 0x{error.object[error.start]:02x} is not UTF-8", fix, len(self.buffer))
        return piece
