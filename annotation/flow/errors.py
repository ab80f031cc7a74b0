"""Refusals: exceptions with a text for users, which pages, the API and commands show in their own ways."""

from django.db import InterfaceError, InternalError, OperationalError

READ_ONLY = "25006"  # PostgreSQL's code for a write in a read-only transaction, which Django reports as InternalError


def is_database_unavailable(error: BaseException | None) -> bool:
    """Whether the database is unreachable, locked or read-only: a pause, not a defect."""
    if isinstance(error, InternalError):
        return getattr(error.__cause__, "sqlstate", "") == READ_ONLY
    return isinstance(error, (OperationalError, InterfaceError))


# PostgreSQL's codes for a deadlock, a lock or statement that took too long, and a conflict of transactions
BUSY = {"40001", "40P01", "55P03", "57014"}


def is_busy(error: BaseException) -> bool:
    """Whether the database gave up because of other transactions, and changed nothing: trying again may succeed."""
    if not isinstance(error, OperationalError):
        return False
    return getattr(error.__cause__, "sqlstate", "") in BUSY or "is locked" in str(error)


class Refused(Exception):
    """The action was not carried out and nothing changed. `str()` is the message, translated."""


class Conflict(Refused):
    """Somebody else, or the same person in another tab, was first."""
