"""Attempts to send a leased row of the outbox to a marketplace, and the handling of failures.

Rows are publications, studies and payments: all have `tries`, `due_at`, `lease_until`, `error` and `move`.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce, Now

from annotation.marketplaces.base import Denied, TryAgain
from annotation.marketplaces.flow.connections import MarketplacePaused, MarketplaceSession, Patience
from annotation.marketplaces.models import PanelStudy, Publication
from annotation.models import Payment

Row = Publication | PanelStudy | Payment
Result = TypeVar("Result")
SENDING, FAILED = "sending", "failed"


FREE = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())  # rows that nobody is sending


class Later(Exception):
    """It must not be sent yet; `wait`: for how long."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__()
        self.wait = wait


def attempt(
    row: Row, session: MarketplaceSession[Any], ensure: Callable[[], Result], done: Callable[[Result], bool]
) -> bool:
    """Call `ensure` on the marketplace, then record it with `done`; True if both succeeded.

    Temporary failures are retried later, permanent ones fail the row. Raises MarketplacePaused after too many
    failures.
    """
    try:
        result = ensure()
    except Later as later:
        _put_back(row, later.wait, error="")
    except TryAgain as failed:
        _put_back(row, session.patience.delay(row.tries, session.rng), error=str(failed))
    except MarketplacePaused as failed:
        _put_back(row, session.patience.rest, error=str(failed.__cause__ or ""))
        raise
    except Denied as refused:
        row.move(FAILED, since=(SENDING,), error=str(refused), lease_until=None)
    else:
        return done(result)
    return False


def take(due: QuerySet[Any], unsent: QuerySet[Any], *related: str, patience: Patience) -> Any:
    """Lease the first due row that is still unsent, and commit the lease before any call; None if there is none.

    The row comes with these related rows, and `now` is the database's time.
    """
    for row in due[:20]:
        free = unsent.filter(FREE, pk=row.pk, tries=row.tries)
        stamps = {"first_try_at": Coalesce("first_try_at", Now()), "lease_until": Now() + patience.lease}
        if free.update(state=SENDING, tries=row.tries + 1, **stamps):
            return type(row).objects.select_related(*related).annotate(now=Now()).get(pk=row.pk)
    return None


def look_where_forgotten(
    row: Any, session: MarketplaceSession[Any], look: Callable[[datetime], Result]
) -> Result | None:
    """The object created by an earlier attempt, as `look` finds it, if the marketplace may have forgotten the token.

    Raises Later until two look-ups, both begun when no earlier call can still be running, did not find it. `look` gets
    the time since which none can run. The token stays the same: a marketplace that remembers it raises AlreadyThere.
    """
    if row.first_try_at is None or row.now - row.first_try_at < session.patience.memory:
        return None
    rows, lag = type(row).objects.filter(pk=row.pk), session.patience.lag
    if row.last_try_at is not None:  # else it was leased, but never sent
        quiet = row.last_try_at + session.patience.lease + lag
        if row.now < quiet:
            raise Later(quiet - row.now)
        if found := look(quiet):
            return found
        if row.missed_at is None:
            rows.update(missed_at=Now())
            raise Later(lag)
        if row.now < row.missed_at + lag:
            raise Later(row.missed_at + lag - row.now)
    rows.update(first_try_at=Now(), missed_at=None)
    return None


def _put_back(row: Row, wait: timedelta, *, error: str) -> None:
    rows = type(row).objects.filter(pk=row.pk, state=SENDING, tries=row.tries)
    rows.update(due_at=Now() + wait, lease_until=None, error=error[:1000])
