"""Progress callbacks: long computations call a tick now and then."""

from __future__ import annotations

from collections.abc import Callable

Tick = Callable[[], None]


def no_tick() -> None:
    """A tick that does nothing."""
