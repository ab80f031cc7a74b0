"""Throttling of password guessing, without locking out people who mistype theirs.

Attempts are rows, so that all web processes count together. The row is written before the password is checked, so that
simultaneous attempts are counted too.
"""

import unicodedata
from datetime import timedelta
from math import ceil

from django.db.models import Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from annotation.models import SignInTry, clock
from annotation.pure.net.households import household

MOST_TRIES = 5
MOST_AT_ADDRESS = 20  # over all names: one password tried on many accounts
WINDOW = timedelta(minutes=1)


def wait_of(name: str, *, address: str, most_at_address: int = 0) -> int:
    """Count an attempt to sign in and return 0, or, if it is one too many, the seconds to wait.

    The limits are MOST_TRIES for one name from one address and, unless 0, `most_at_address` over all names.
    A refused attempt is not counted, so that repeating it does not prolong the wait.
    """
    key, place = _key(name, address), _key("", address)
    # Those far ahead are of before the clock was set back: they would count until it catches up.
    SignInTry.objects.filter(Q(at__lte=Now() - WINDOW) | Q(at__gt=Now() + WINDOW)).delete()
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
    """A signed cookie that this name signed in from this browser before, which exempts it from the address's limit."""
    return _key(name, "known here")


def forget(name: str, *, address: str) -> None:
    """Delete the attempts of somebody who signed in."""
    SignInTry.objects.filter(key=_key(name, address)).delete()


def _key(name: str, address: str) -> str:
    """A keyed hash: stored names would include mistyped ones, such as a password in the wrong field."""
    folded = unicodedata.normalize("NFKC", name).strip().casefold()
    return salted_hmac("annotation.throttling", f"{folded}\0{household(address)}", algorithm="sha256").hexdigest()
