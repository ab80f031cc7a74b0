"""How much a small file may become when it is unpacked: one made to fill a disk is refused while it is read."""

from __future__ import annotations

import gzip
import io
from typing import Any, BinaryIO

from annotation.formats.base import Flaw, Unreadable

FREE = 16 << 20  # bytes that any file may become
MOST_TIMES = 200  # of its own size beyond that; text packs to a third, very repetitive records to a hundredth


def check(unpacked: int, packed: int) -> None:
    """Raises Unreadable where so many bytes came of so few."""
    if unpacked > FREE and unpacked > MOST_TIMES * packed:
        wrong = f"it unpacks to more than {MOST_TIMES} times its size"
        fix = "Unpack it yourself and look whether it holds what it should, then give the unpacked file"
        raise Unreadable(Flaw("error", "the file", "", "content", wrong, fix))


class Unpacked(io.RawIOBase):
    """What a gzipped file holds, block by block. Raises Unreadable once it is out of proportion."""

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
