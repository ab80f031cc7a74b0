"""Slowing down whoever guesses passwords, without locking out whoever mistypes one.

Tries are rows, so that all web processes count together; a row is written before the password is looked at, so that
tries at the same instant do not pass uncounted.
"""

from __future__ import annotations

import unicodedata
from datetime import timedelta
from ipaddress import ip_network
from math import ceil

from django.db.models.functions import Now
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotation.models import SignInTry

MOST_TRIES = 5
WINDOW = timedelta(minutes=1)


def wait_of(name: str, *, address: str) -> int:
    """Count a try to sign in and return 0; when it is one too many, the seconds after which the next may come.

    A refused try is not counted, so that trying on does not prolong the wait.
    """
    key = _key(name, address)
    SignInTry.objects.filter(at__lte=Now() - WINDOW).delete()
    this = SignInTry.objects.create(key=key, at=Now())
    earlier = list(SignInTry.objects.filter(key=key).exclude(pk=this.pk).order_by("-at")[:MOST_TRIES])
    if len(earlier) < MOST_TRIES:
        return 0
    this.delete()
    left = earlier[-1].at + WINDOW - timezone.now()
    return min(max(1, ceil(left.total_seconds())), ceil(WINDOW.total_seconds()))


def forget(name: str, *, address: str) -> None:
    """Drop the tries of somebody who knew the password in the end."""
    SignInTry.objects.filter(key=_key(name, address)).delete()


def _key(name: str, address: str) -> str:
    """A keyed hash: names that somebody mistyped, perhaps a password among them, and addresses are not stored."""
    folded = unicodedata.normalize("NFKC", name).strip().casefold()
    return salted_hmac("annotation.throttling", f"{folded}\0{_place(address)}", algorithm="sha256").hexdigest()


def _place(address: str) -> str:
    """The address, or its /64 in IPv6, of which one household has all addresses."""
    try:
        return str(ip_network(f"{address}/64", strict=False)) if ":" in address else address
    except ValueError:
        return address
