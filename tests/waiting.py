"""Waiting for something to happen, never for time to pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

LONGEST = 60.0  # seconds until something that should happen counts as not happening


def until(
    happened: Callable[[], Any],
    *,
    within: float = LONGEST,
    pause: Callable[[float], Any] = time.sleep,
    said: Callable[[], str] = str,
) -> Any:
    """The first true value of `happened`, asked again and again; AssertionError with `said()` where none comes."""
    end = time.monotonic() + within
    while not (found := happened()):
        assert time.monotonic() < end, said()
        pause(0.02)
    return found
