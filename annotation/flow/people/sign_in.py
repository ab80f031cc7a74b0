"""Signing in: throttling of password guessing, without locking out people who mistype theirs; sessions and their end.

Attempts are rows, so that all web processes count together. The row is written before the password is checked, so that
simultaneous attempts are counted too.
"""

import unicodedata
from datetime import timedelta
from math import ceil

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from annotation.models import SignInTry, User, UserSession, clock
from annotation.pure.net.addresses import household

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


CHUNK = 500


def sessions_of(user: User) -> list[UserSession]:
    """The sessions of the user that still work, last used first."""
    rows = UserSession.objects.filter(user=user, session__expire_date__gt=Now()).select_related("session")
    matching = {user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()}
    found = rows.order_by("-seen_at", "-pk")
    return [row for row in found if row.session.get_decoded().get(HASH_SESSION_KEY) in matching]


def end_session(user: User, pk: int) -> bool:
    """End one session of the user; False if it is over."""
    return bool(Session.objects.filter(of_user__user=user, of_user__pk=pk).delete()[0])


def end_all(user: User) -> None:
    """End all sessions of the user. A view that keeps its own one calls `update_session_auth_hash` afterwards."""
    user.sessions_ended = F("sessions_ended") + 1
    user.save(update_fields=["sessions_ended"])
    user.refresh_from_db(fields=["sessions_ended"])


def forget_ended() -> int:
    """Delete sessions whose cookies have expired as well; until then, a page can say why they ended."""
    over = Session.objects.filter(expire_date__lt=Now() - timedelta(seconds=settings.SESSION_COOKIE_AGE))
    keys = list(over.values_list("pk", flat=True)[:CHUNK])
    return Session.objects.filter(pk__in=keys).delete()[0] if keys else 0
