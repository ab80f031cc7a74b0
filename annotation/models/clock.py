"""The one clock by which stored times are written and compared: the database's."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.utils import timezone

LOOKS = 3  # the quickest answer is the most exact
_ahead: timedelta | None = None  # by how much the database's clock is ahead of this process's; None: not known yet


def now() -> datetime:
    """The database's time, without asking it: what `Now()` says in a query, never later, less the moment of a reply."""
    if connection.vendor == "sqlite":
        return timezone.now()  # the same machine's
    if _ahead is None:
        connection.ensure_connection()
    return timezone.now() + (_ahead or timedelta(0))


@receiver(connection_created)
def compare(connection: Any, **_: Any) -> None:
    """Compare the clocks on each new connection; one lives ten minutes, so a clock that was set is soon noticed."""
    global _ahead
    if connection.vendor == "sqlite" or connection.alias != DEFAULT_DB_ALIAS:
        return
    found = []
    with connection.cursor() as cursor:
        for _look in range(LOOKS):
            asked = timezone.now()
            cursor.execute("SELECT statement_timestamp()")
            there, answered = cursor.fetchone()[0], timezone.now()
            found.append((answered - asked, there - answered))  # from the answer, so that `now` is never ahead
    _ahead = min(found)[1]
