"""Room for the frames of a deep call, such as a test of a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
SLOTS = 140_000  # of 8 bytes each: the chunk is then of two MiB, and nearly half of it is left


def with_room(function: F) -> F:
    """The function, whose frame is so large that what it calls fits into the rest of its chunk.

    CPython keeps a thread's frames in chunks of 16 KiB and gives a chunk back to the system when the first frame in it
    ends: a loop whose calls cross the edge of a chunk maps and unmaps memory each time. Where templates render a
    hundred frames deep, that is a sixth of a test's time.
    """
    function.__code__ = function.__code__.replace(co_stacksize=SLOTS)  # type: ignore[attr-defined]
    return function
