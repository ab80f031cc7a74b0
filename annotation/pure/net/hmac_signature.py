"""HMAC-SHA256 in base64, as headers carry it."""

from __future__ import annotations

import base64
import hashlib
import hmac


def signature(key: bytes, content: bytes) -> str:
    """base64 of HMAC-SHA256 over the content."""
    return base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
