"""How a verb says no: an exception whose text a person can act on. Every door shows it in its own way."""

from django.db import InterfaceError, OperationalError

AWAY = (OperationalError, InterfaceError)  # the database cannot be reached or is locked; was reached and is gone


class Refused(Exception):
    """The verb was not carried out and nothing changed. `str()` is the message, a gettext-translated sentence."""


class Conflict(Refused):
    """Somebody, or the same person elsewhere, was first."""
