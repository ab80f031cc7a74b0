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
from django.utils.crypto import salted_hmac

from annotation.models import SignInTry, clock

MOST_TRIES = 5
MOST_AT_ADDRESS = 20  # over all names: one password tried on many
WINDOW = timedelta(minutes=1)


def wait_of(name: str, *, address: str, most_at_address: int = 0) -> int:
    """Count a try to sign in and return 0; when it is one too many, the seconds after which the next may come.

    Too many are MOST_TRIES of one name from one address and, unless 0, `most_at_address` from there over all names.
    A refused try is not counted, so that trying on does not prolong the wait.
    """
    key, place = _key(name, address), _key("", address)
    SignInTry.objects.filter(at__lte=Now() - WINDOW).delete()
    this = SignInTry.objects.create(key=key, place=place, at=Now())
    limits = [({"key": key}, MOST_TRIES), ({"place": place}, most_at_address)]
    wait = max(_wait(this, most, **of) for of, most in limits if most)
    if wait:
        this.delete()
    return wait


def _wait(this: SignInTry, most: int, **of: str) -> int:
    earlier = list(SignInTry.objects.filter(**of).exclude(pk=this.pk).order_by("-at")[:most])
    if len(earlier) < most:
        return 0
    left = earlier[-1].at + WINDOW - clock.now()
    return min(max(1, ceil(left.total_seconds())), ceil(WINDOW.total_seconds()))


def seal(name: str) -> str:
    """What a browser keeps to show that this name signed in there before: the address's limit is not for it."""
    return _key(name, "known here")


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
