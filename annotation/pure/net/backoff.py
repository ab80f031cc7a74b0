"""Retry delays for a peer that does not answer."""

from datetime import timedelta


def wait_after(tries: int, *, first: timedelta, longest: timedelta, chance: float = 0.5) -> timedelta:
    """A delay that doubles with each failed attempt, up to `longest`.

    `chance` (0 to 1) adds jitter of up to 20 % either way, so that simultaneous failures are not retried together.
    """
    doublings = min(max(tries - 1, 0), 20)
    return min(first * (1 << doublings), longest) * (0.8 + 0.4 * chance)
