"""Periods of a round length that cover a span of time."""

from datetime import datetime, timedelta

HOURS = (1, 2, 3, 6, 12, 24, 48, 96, 168, 336, 672, 2016, 8736)


def time_grid(first: datetime, last: datetime, most: int) -> list[datetime]:
    """The starts of at most `most` periods of equal length that cover both times, in the time zone of `first`.

    Periods of hours begin at a round hour, longer ones at midnight.
    """
    for hours in HOURS:
        start = first.replace(hour=first.hour // hours * hours if hours < 24 else 0, minute=0, second=0, microsecond=0)
        number = int((last - start) / timedelta(hours=hours)) + 1
        if number <= most:
            break
    return [start + k * timedelta(hours=hours) for k in range(min(number, most))]


def period_label(start: datetime, starts: list[datetime]) -> str:
    """The start as a date, with the time of day where periods are shorter than a day."""
    is_short = len(starts) > 1 and starts[1] - starts[0] < timedelta(days=1)
    return f"{start:%m-%d %H:%M}" if is_short else f"{start:%Y-%m-%d}"
