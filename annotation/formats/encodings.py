"""Texts of any encoding as UTF-8: UTF-16 and UTF-32 are converted, and lines that are not UTF-8 are Windows-1252.

Decode with `errors=ESCAPES`, which keeps bytes that are not UTF-8 as lone surrogates, then call `repaired`.
"""

import codecs
import io
import re
from typing import Any, BinaryIO

from annotation.formats.storable import Fault

ESCAPES = "surrogateescape"
_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
_ESCAPED = re.compile("[\udc80-\udcff]")
_OTHERS = re.compile("[^\x00-\x7f\udc80-\udcff]")
_OF_WINDOWS = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}
_SAMPLE = 400  # bytes
NOTE = Fault("text", "it is not UTF-8, and is read as Windows-1252", "", "If letters are wrong, save the file as UTF-8")


def wide_encoding(head: bytes) -> str:
    """The encoding of a text with two or four bytes a character, with or without a byte order mark; "" for others."""
    if known := next((name for mark, name in _BOMS.items() if head.startswith(mark)), ""):
        return known
    sample = head[: min(_SAMPLE, len(head) // 4 * 4)]
    zeros = [sample[at::4].count(0) * 4 > len(sample) * 0.6 for at in range(4)]
    patterns = {
        (False, True, True, True): "utf-32-le", (True, True, True, False): "utf-32-be",
        (False, True, False, True): "utf-16-le", (True, False, True, False): "utf-16-be",
    }  # fmt: skip
    return patterns.get(tuple(zeros), "") if sample else ""  # type: ignore[arg-type]  # four of them


class Recoded(io.RawIOBase):
    """The content of a stream in another encoding, as UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder(encoding)()
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            block = self._stream.read(1 << 16)
            self._rest = self._decoder.decode(block, not block).encode("utf-8")
            if not block:
                break
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def repaired(text: str) -> tuple[str, Fault | None]:
    """A decoded text without escaped bytes, and the note or, where UTF-8 and other bytes are mixed, the error."""
    if text.isascii() or not _ESCAPED.search(text):
        return text, None
    whole = text.translate(_OF_WINDOWS)
    if _OTHERS.search(text):
        return whole, Fault("text", "some of its letters are not UTF-8, and others are", "Save the file as UTF-8")
    return whole, NOTE


def first_escape(text: str) -> int:
    """The position of the first escaped byte."""
    found = _ESCAPED.search(text)
    return found.start() if found else len(text)
