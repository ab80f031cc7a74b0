"""Encryption of archives with BACKUP_KEY, in a stream: AES-256-GCM over pieces of 1 MiB.

The STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, "Online Authenticated-Encryption and its
Nonce-Reuse Misuse-Resistance" (2015): the nonce of a piece is its number and whether it is the last, so that pieces
can be neither changed, swapped, left out nor cut off. The key is derived from BACKUP_KEY by scrypt with a random salt.

cryptography is loaded with the first archive.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAGIC = b"hopscribe archive 1\n"
SALT, TAG, PIECE = 16, 16, 1 << 20  # bytes


class NotDecrypted(ValueError):
    """The key is another one, or the archive was changed or cut off."""


def is_encrypted(file: Path) -> bool:
    with file.open("rb") as raw:
        return raw.read(len(MAGIC)) == MAGIC


def _cipher(key: str, salt: bytes) -> AESGCM:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return AESGCM(Scrypt(salt=salt, length=32, n=2**15, r=8, p=1).derive(key.encode()))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


class EncryptedWriter:
    """A file to write to; what it is given goes to `out` encrypted. Only `finish` makes it whole."""

    def __init__(self, out: IO[bytes], key: str) -> None:
        salt = os.urandom(SALT)
        self._out, self._cipher, self._number, self._held = out, _cipher(key, salt), 0, bytearray()
        out.write(MAGIC + salt)

    def write(self, data: bytes) -> int:
        self._held += data
        while len(self._held) > PIECE:  # the last piece is never known before the end
            self._put(bytes(self._held[:PIECE]), last=False)
            del self._held[:PIECE]
        return len(data)

    def finish(self) -> None:
        self._put(bytes(self._held), last=True)

    def _put(self, piece: bytes, *, last: bool) -> None:
        self._out.write(self._cipher.encrypt(_nonce(self._number, last=last), piece, MAGIC))
        self._number += 1


class DecryptedReader:
    """A file to read from: the content of `source`, which stands behind MAGIC. Raises NotDecrypted."""

    def __init__(self, source: IO[bytes], key: str) -> None:
        self._source, self._cipher = source, _cipher(key, source.read(SALT))
        self._number, self._held, self._next = 0, bytearray(), source.read(PIECE + TAG)

    def read(self, size: int = -1) -> bytes:
        while self._next and (size < 0 or len(self._held) < size):
            self._held += self._piece()
        size = len(self._held) if size < 0 else size
        found = bytes(self._held[:size])
        del self._held[:size]
        return found

    def _piece(self) -> bytes:
        from cryptography.exceptions import InvalidTag

        piece, self._next = self._next, self._source.read(PIECE + TAG)
        try:
            plain = self._cipher.decrypt(_nonce(self._number, last=not self._next), piece, MAGIC)
        except InvalidTag:
            raise NotDecrypted from None
        self._number += 1
        return plain
