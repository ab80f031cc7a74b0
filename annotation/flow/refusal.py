"""How a verb says no: an exception whose text a person can act on. Every door shows it in its own way."""

from django.db import InterfaceError, InternalError, OperationalError

READ_ONLY = "25006"  # PostgreSQL's code for a write where only reading is allowed, which Django takes for a defect


def is_away(error: BaseException | None) -> bool:
    """Whether the database cannot be reached, is locked or gone, or takes no writes: a pause, not a defect."""
    if isinstance(error, InternalError):
        return getattr(error.__cause__, "sqlstate", "") == READ_ONLY
    return isinstance(error, (OperationalError, InterfaceError))


class Refused(Exception):
    """The verb was not carried out and nothing changed. `str()` is the message, a gettext-translated sentence."""


class Conflict(Refused):
    """Somebody, or the same person elsewhere, was first."""
