"""Sessions in which an account is signed in, and ending them."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models import F
from django.db.models.functions import Now

from annotation.models import User, UserSession

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
