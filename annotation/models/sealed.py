"""Secrets at rest: encrypted with a key derived from SECRET_KEY, so that a copied database reveals none.

cryptography is loaded with the first secret.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models

if TYPE_CHECKING:
    from cryptography.fernet import Fernet, MultiFernet


class Unsealable(ValueError):
    """The secret was encrypted under a SECRET_KEY that is no longer configured."""


@lru_cache(maxsize=8)  # deriving one takes longer than anything done with it
def _key(secret: str) -> Fernet:
    from cryptography.fernet import Fernet
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"hopscribe/sealed/1").derive(secret.encode())
    return Fernet(base64.urlsafe_b64encode(derived))


def _keys() -> MultiFernet:
    from cryptography.fernet import MultiFernet

    return MultiFernet([_key(secret) for secret in [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]])


def seal(secret: str) -> str:
    """Encrypt a secret for the database."""
    return _keys().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    """Decrypt a secret; raises Unsealable if neither SECRET_KEY nor a fallback can decrypt it."""
    from cryptography.fernet import InvalidToken

    try:
        return _keys().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise Unsealable("this secret was stored under another SECRET_KEY; enter it again") from None


class SealedField(models.TextField):
    """A secret text: plain in memory, encrypted in its column, so it cannot be searched for."""

    def from_db_value(self, value: str | None, *_: Any) -> str | None:
        return value if not value else unseal(value)

    def get_prep_value(self, value: str | None) -> str | None:
        return value if not value else seal(value)
