"""Sessions and their users, read by queries whose SQL is made once: every request begins with both.

What the page of an assignment sends, twice an item, finds a session's user as read within the last half minute. Whoever
signs out, is deactivated or gets a new password loses that, in all processes, within this time; all else at once.
"""

import copy
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth import user_logged_out
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.db.models.signals import post_save
from django.http import HttpRequest, HttpResponse

from annotation.models import User
from annotation.models.compiled import compiled

RECENT = 30  # seconds
KEPT = 10_000  # users in a process


class Recent(NamedTuple):
    user: User
    until: float


_recent: dict[str, Recent] = {}  # by the session's key


def forget_users(**_: Any) -> None:
    _recent.clear()


user_logged_out.connect(forget_users)
post_save.connect(forget_users, sender=User)


class RecentUserMiddleware:
    """Keep the user of a session for the next POST requests of their assignments. Comes after the authentication."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if not key or request.method != "POST" or not request.path_info.startswith("/assignments/"):
            return self.get_response(request)
        recent = _recent.get(key)
        if recent is not None and recent.until > time.monotonic():
            request._cached_user = copy.copy(recent.user)  # which Django's `request.user` then is
            return self.get_response(request)
        response = self.get_response(request)
        user = getattr(request, "_cached_user", None)
        if user is not None and user.is_authenticated:
            if len(_recent) >= KEPT:
                _recent.clear()
            _recent[key] = Recent(copy.copy(user), time.monotonic() + RECENT)
        return response


class SessionStore(db.SessionStore):
    """Django's sessions in the database."""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def _get_session_from_db(self) -> Session | None:
        for session in _unexpired(self.session_key):
            return session
        self._session_key = None
        return None


class UserBackend(ModelBackend):
    """Django's users with a password."""

    def get_user(self, user_id: Any) -> User | None:
        for user in _user(int(user_id)):
            return user if self.user_can_authenticate(user) else None
        return None


@compiled
def _unexpired(key: str) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=Now())


@compiled
def _user(key: int) -> QuerySet[User]:
    return User.objects.filter(pk=key)
