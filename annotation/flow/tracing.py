"""Which request or job is under way, so that whatever is logged of it can be told from the rest."""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar

current: ContextVar[str] = ContextVar("hopscribe_request", default="")
_FIT = re.compile(r"[A-Za-z0-9_-]{8,64}")


def request_id(given: str = "") -> str:
    """The id that a proxy gave to the request, where it is fit for a line of a log; else a new one."""
    return given if _FIT.fullmatch(given) else secrets.token_hex(16)
