"""The database's clock, by which all stored times are written and compared."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.backends.signals import connection_created
from django.db.models import Q
from django.dispatch import receiver
from django.utils import timezone

LOOKS = 3  # measurements; the measurement with the quickest reply is the most exact
_ahead: timedelta | None = None  # the database's clock minus this process's; None: not measured yet


def now() -> datetime:
    """The database's time, computed from the measured offset without a query; never later than `Now()` in a query."""
    if connection.vendor == "sqlite":
        return timezone.now()  # SQLite runs in this process
    if _ahead is None:
        connection.ensure_connection()
    return timezone.now() + (_ahead or timedelta(0))


@receiver(connection_created)
def compare(connection: Any, **_: Any) -> None:
    """Measure the offset on each new connection. Connections live ten minutes, so a changed clock is soon noticed."""
    global _ahead
    if connection.vendor == "sqlite" or connection.alias != DEFAULT_DB_ALIAS:
        return
    measured = []
    with connection.cursor() as cursor:
        for _look in range(LOOKS):
            asked = timezone.now()
            cursor.execute("SELECT statement_timestamp()")
            database_time, answered = cursor.fetchone()[0], timezone.now()
            # relative to the reply, so that `now` is never ahead
            measured.append((answered - asked, database_time - answered))
    _ahead = min(measured)[1]


def within_days(column: str, since: date | None, until: date | None) -> Q:
    """The condition that a time is on one of these days, in UTC; None leaves that side unbounded."""
    condition = Q()
    if since:
        condition &= Q(**{f"{column}__gte": datetime.combine(since, time(), UTC)})
    if until and until < date.max:
        condition &= Q(**{f"{column}__lt": datetime.combine(until + timedelta(days=1), time(), UTC)})
    return condition
