"""Attempts to send a leased row of the outbox to a marketplace, and the handling of failures.

Rows are publications and payments: both have `tries`, `due_at`, `lease_until`, `error` and `move`.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.db.models.functions import Now

from annotation.marketplaces.base import Denied, TryAgain
from annotation.marketplaces.flow.connections import Line, Resting
from annotation.marketplaces.models import Publication
from annotation.models import Payment

Row = Publication | Payment
Result = TypeVar("Result")
SENDING, FAILED = "sending", "failed"


class Later(Exception):
    """It must not be sent yet; `wait`: for how long."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__()
        self.wait = wait


def attempt(row: Row, line: Line, ensure: Callable[[], Result], done: Callable[[Result], bool]) -> bool:
    """Call `ensure` on the marketplace, then record it with `done`; True if both succeeded.

    Temporary failures are retried later, permanent ones fail the row. Raises Resting after one failure too many.
    """
    try:
        result = ensure()
    except Later as later:
        _put_back(row, later.wait, error="")
    except TryAgain as failed:
        _put_back(row, line.patience.delay(row.tries, line.rng), error=str(failed))
    except Resting as failed:
        _put_back(row, line.patience.rest, error=str(failed.__cause__ or ""))
        raise
    except Denied as refused:
        row.move(FAILED, since=(SENDING,), error=str(refused), lease_until=None)
    else:
        return done(result)
    return False


def _put_back(row: Row, wait: timedelta, *, error: str) -> None:
    rows = type(row).objects.filter(pk=row.pk, state=SENDING, tries=row.tries)
    rows.update(due_at=Now() + wait, lease_until=None, error=error[:1000])
