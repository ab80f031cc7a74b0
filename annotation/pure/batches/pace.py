"""The pace of a batch: when it will be finished, and when to warn about it."""

from datetime import datetime, timedelta
from decimal import Decimal

WINDOW = timedelta(hours=24)  # over which a pace is measured
QUIET = timedelta(hours=24)  # without an answer until a batch counts as standing still
LOW = Decimal("0.1")  # share of all money ever put into a budget, below which it is nearly spent


def left_for(left: int, recent: int, *, since: timedelta) -> timedelta | None:
    """The time that `left` answers take at the pace of `recent` ones within `since`; None without a pace."""
    if left <= 0 or recent <= 0 or since <= timedelta(0):
        return None
    return left * since / recent


def window(launched: datetime, now: datetime) -> timedelta:
    """The part of WINDOW in which the batch was open, at least an hour, so that a first answer gives no pace."""
    return min(WINDOW, max(timedelta(hours=1), now - launched))


def stands_still(*, open_since: datetime, last: datetime | None, left: int, now: datetime) -> bool:
    """Whether a batch that needs `left` more answers has been open for QUIET without getting any."""
    begun = max(open_since, last) if last else open_since
    return left > 0 and now - begun >= QUIET


def runs_out(*, available: Decimal, put_in: Decimal) -> bool:
    """Whether a budget is nearly spent; False for a budget without funds."""
    return put_in > 0 and available < LOW * put_in
