"""The current request or job: its id, which every log line has, and who acts in it, which the audit log has."""

import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # logs need this module before Django has its models
    from annotation.models import User

current: ContextVar[str] = ContextVar("hopscribe_request", default="")
_FIT = re.compile(r"[A-Za-z0-9_-]{8,64}")


def request_id(given: str = "") -> str:
    """The id given by a proxy if it is safe for logs; else a new one."""
    return given if _FIT.fullmatch(given) else secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class Actor:
    """The acting user. `who` is called when something is recorded, because authentication may come later."""

    via: str
    who: Callable[[], "User | None"]


actor: ContextVar[Actor | None] = ContextVar("hopscribe_actor", default=None)


@contextmanager
def acting(via: str, who: Callable[[], "User | None"] = lambda: None) -> Iterator[None]:
    """Attribute everything recorded inside to this way and person, if any."""
    token = actor.set(Actor(via, who))
    try:
        yield
    finally:
        actor.reset(token)
