"""How long work says that it is still at it: it calls a tick now and then, and whoever waits hears it."""

from __future__ import annotations

from collections.abc import Callable

Tick = Callable[[], None]


def no_tick() -> None:
    """For whoever does not listen."""
