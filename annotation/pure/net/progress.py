"""Progress callbacks: long computations call a tick now and then."""

from collections.abc import Callable

Tick = Callable[[], None]


def no_tick() -> None:
    """A tick that does nothing."""
