"""Named periods: this week, last week, this month, last month."""

from datetime import date, timedelta
from typing import Final

THIS_WEEK: Final = "week"
LAST_WEEK: Final = "last-week"
THIS_MONTH: Final = "month"
LAST_MONTH: Final = "last-month"


def span(name: str, today: date) -> tuple[date, date]:
    """The first and the last day of a period; weeks begin on Monday. Raises KeyError for an unknown name."""
    monday, first = today - timedelta(days=today.weekday()), today.replace(day=1)
    before = first - timedelta(days=1)
    return {
        THIS_WEEK: (monday, monday + timedelta(days=6)),
        LAST_WEEK: (monday - timedelta(days=7), monday - timedelta(days=1)),
        THIS_MONTH: (first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)),
        LAST_MONTH: (before.replace(day=1), before),
    }[name]
