"""Incremental JSON decoding, so that a file larger than memory can be read record by record.

Python's decoder accepts values that databases cannot store (lone surrogates, NaN, numbers beyond a double) and
duplicate keys, which lose content. `Decoder` makes them storable and reports that as faults; `Window` feeds it a moving
part of the text.
"""

import codecs
import json
import re
from collections import Counter
from typing import Any, BinaryIO, NoReturn

from annotation.formats.base import Flaw, Unreadable
from annotation.formats.file_kinds import ESCAPES, first_escape, repaired
from annotation.formats.storable import MAX_DEPTH, Digits, Fault, Twice, shown, storable

CHUNK = 1 << 20  # bytes read at a time
MAX_RECORD = 32 << 20  # characters of one record; more is not a record of text but a wrong file
MAX_DIGITS = 1000  # of an integer

_SPACE = re.compile(r"[ \t\r\n]*")
_TAIL = 16  # a decoder's error this close to the end of a window may come from the cut
_NOT_STORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class Decoder:
    """JSON to Python values that can be stored. After each call `faults` lists what had to be changed for it."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.raw: Any = None  # the last value as it stands in the file
        self._odd = False
        self._decode = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_float=self._float,
            parse_int=self._int,
        ).raw_decode

    def decode(self, text: str, start: int = 0) -> tuple[Any, int]:
        """(value, end) of the JSON value at `start`. Raises JSONDecodeError, RecursionError."""
        self.faults, self._odd = [], False
        value, end = self._decode(text, start)
        self.raw = value
        if self._odd or (text.find("\\u", start, end) >= 0 and _NOT_STORABLE.search(text, start, end)):
            value = storable(value, "", self.faults)
        return value, end

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) == len(pairs):
            return record
        self._odd = True
        twice = Twice(record)
        counts = Counter(key for key, _ in pairs)
        twice.keys_twice = tuple(key for key in record if counts[key] > 1)
        return twice

    def _constant(self, name: str) -> float:
        self._odd = True
        return float(name)

    def _float(self, digits: str) -> float | str:
        number = float(digits)
        return number if number not in (float("inf"), float("-inf")) else self._too_large(digits)

    def _int(self, digits: str) -> int | str:
        return int(digits) if len(digits) <= MAX_DIGITS else self._too_large(digits)

    def _too_large(self, digits: str) -> Digits:
        self._odd = True
        return Digits(digits)


class Window:
    """A moving window on a JSON text: `peek`, `take` and `value` go forward and read on as needed.

    Raises Unreadable, with a line number, for text that is not JSON, not UTF-8 or cut off.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.decoder = Decoder()
        self.notes: list[Fault] = []  # on the text that was read since they were taken
        self.buffer = ""
        self.position = 0
        self._stream = stream
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")(ESCAPES)
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
            raw = self._utf8.decode(chunk, final=not chunk)
            piece, fault = repaired(raw)
            if fault and fault.fix:
                self._lines += raw.count("\n", 0, first_escape(raw))
                self.refuse(fault.wrong, fault.fix, len(self.buffer))
            self.notes += [fault] if fault and fault not in self.notes else []
        return piece
