"""The id of the current request or job, which is added to every log line."""

import re
import secrets
from contextvars import ContextVar

current: ContextVar[str] = ContextVar("hopscribe_request", default="")
_FIT = re.compile(r"[A-Za-z0-9_-]{8,64}")


def request_id(given: str = "") -> str:
    """The id given by a proxy if it is safe for logs; else a new one."""
    return given if _FIT.fullmatch(given) else secrets.token_hex(16)
