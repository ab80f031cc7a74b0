"""The database's clock, by which all stored times are written and compared."""

from datetime import datetime, timedelta
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.utils import timezone

LOOKS = 3  # measurements; the one with the quickest reply is the most exact
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
    found = []
    with connection.cursor() as cursor:
        for _look in range(LOOKS):
            asked = timezone.now()
            cursor.execute("SELECT statement_timestamp()")
            there, answered = cursor.fetchone()[0], timezone.now()
            found.append((answered - asked, there - answered))  # relative to the reply, so that `now` is never ahead
    _ahead = min(found)[1]
