"""Sessions, their limits and their users, read by queries whose SQL is made once: every request begins with both.

What the page of an assignment sends, twice an item, finds a session's user as read within the last half minute. Whoever
signs out, is deactivated or gets a new password loses that, in all processes, within this time; all else at once.
"""

import logging
import time
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import SESSION_KEY, user_logged_out
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.middleware import SessionMiddleware
from django.contrib.sessions.models import Session
from django.db import DatabaseError
from django.db.models import QuerySet
from django.db.models.signals import post_delete, post_save
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _

from annotation.flow.errors import is_database_unavailable
from annotation.models import User, UserSession, clock
from annotation.models.compiled import compiled
from annotation.pure.net.browsers import browser_name

RECENT = 30  # seconds
KEPT = 10_000  # users in a process
SEEN = timedelta(minutes=5)  # precision of a session's last use, at most a tenth of the idle limit
GUEST = "guest_home"  # in sessions of guests, who cannot sign in again: they have no idle limit
log = logging.getLogger(__name__)


class Recent(NamedTuple):
    user: User
    until: float


_recent: dict[str, Recent] = {}  # by the session's key


def forget_users(**_more: Any) -> None:
    _recent.clear()


user_logged_out.connect(forget_users)
post_save.connect(forget_users, sender=User)
post_delete.connect(forget_users, sender=Session)


def recall_user(request: HttpRequest) -> str:
    """Give a POST of an assignment's page its session's user as read lately; else the session's key, to keep it by."""
    key: str = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    if not key or request.method != "POST" or not request.path_info.startswith("/assignments/"):
        return ""
    recent = _recent.get(key)
    if recent is None or recent.until <= time.monotonic():
        return key
    request._cached_user = _copy(recent.user)  # type: ignore[attr-defined]  # where `request.user` looks first
    return ""


def keep_user(request: HttpRequest, key: str) -> None:
    """Keep the user of a session for the next requests of their assignments' pages."""
    user = getattr(request, "_cached_user", None)
    if user is not None and user.is_authenticated:
        if len(_recent) >= KEPT:
            _recent.clear()
        _recent[key] = Recent(_copy(user), time.monotonic() + RECENT)


def _copy(user: User) -> User:
    """As copy.copy, without asking how a model is pickled."""
    made = User.__new__(User)
    vars(made).update(user.__getstate__())
    return made


class RenamingSessionMiddleware(SessionMiddleware):
    """Django's, which once takes a session on whose cookies have their names of before, without `__Host-`.

    Only one that was not used since the names changed: another host could plant a cookie of the old name.
    """

    OLD = "sessionid", "csrftoken"  # which stay: while an upgrade is under way, other processes know no others

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        names = settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME
        old = request.COOKIES.get(self.OLD[0])
        if not old or names[0] in request.COOKIES:
            return
        session = SessionStore(old)
        if SESSION_KEY in session and session.of_user is None:
            request.session = session
            request.COOKIES.update(zip(names, (request.COOKIES.get(name, "") for name in self.OLD), strict=True))
            session.modified = request.META["CSRF_COOKIE_NEEDS_UPDATE"] = True


class SessionStore(db.SessionStore):
    """Django's sessions in the database, whose rows end at their limits.

    `found` is the row as it was read; `ended` says why the session of a cookie is over, if it was somebody's.
    """

    found: Session | None = None
    ends: datetime | None = None
    ended = ""

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def _get_session_from_db(self) -> Session | None:
        rows = _session(self.session_key or "")
        if rows and rows[0].expire_date > clock.now():
            self.found = rows[0]
            self.ends = self.found.expire_date if self.of_user else None
            return self.found
        self.ended = why_ended(rows[0]) if rows else _ended_by_hand()
        self._session_key = None
        return None

    @property
    def of_user(self) -> UserSession | None:
        return getattr(self.found, "of_user", None)

    def get_expiry_date(self, **more: Any) -> datetime:
        """Saving a session does not prolong it; `note_use` does."""
        return self.ends or super().get_expiry_date(**more)

    def flush(self) -> None:
        """Also called where the session does not match its user any more."""
        self.ended = _ended_by_hand()
        super().flush()


def _ended_by_hand() -> str:
    return _("You were signed out: the session was ended, or the password or second factor changed.")


def why_ended(session: Session) -> str:
    """Why a session is over; empty for one of a guest or of nobody."""
    own = getattr(session, "of_user", None)
    if own is None:
        return ""
    limit = timedelta(seconds=settings.SESSION_COOKIE_AGE)
    text = _("You were signed out because you signed in more than %(time)s ago.")
    if session.expire_date < own.created_at + limit:
        limit = timedelta(seconds=settings.SESSION_IDLE)
        text = _("You were signed out after %(time)s without activity.")
    return text % {"time": timeuntil(own.created_at + limit, own.created_at, depth=1)}


class SessionLimitMiddleware(MiddlewareMixin):
    """Says why a session is over, notes when one is used, and lets nobody keep its pages. Comes after messages."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        session = cast(SessionStore, request.session)  # by SESSION_ENGINE
        has_session = settings.SESSION_COOKIE_NAME in request.COOKIES and not hasattr(request, "_cached_user")
        if has_session and request.user.is_anonymous and session.ended:
            messages.warning(request, session.ended)
        response = cast(HttpResponse, self.get_response(request))
        session = cast(SessionStore, request.session)  # which signing in or out may have replaced
        if not session.accessed or SESSION_KEY not in session:
            return response
        response.headers.setdefault("Cache-Control", "private, no-store")  # nothing of it stays after signing out
        if GUEST not in session and session[SESSION_KEY] == str(request.user.pk):
            try:
                note_use(request)
            except DatabaseError as error:
                if not is_database_unavailable(error):
                    raise
                log.warning("the use of a session was not noted: %s", type(error).__name__)
        return response


def note_use(request: HttpRequest) -> None:
    """Prolong the session of a signed-in user to its idle limit, once in a while, but not beyond its absolute one."""
    session, user, now = cast(SessionStore, request.session), cast(User, request.user), clock.now()
    own, idle = session.of_user, timedelta(seconds=settings.SESSION_IDLE)
    if own and own.session_id == session.session_key and now - own.seen_at < min(SEEN, idle / 10):
        return
    if session.session_key is None:
        session.save()
    since = own.created_at if own and own.user_id == user.pk else now
    session.ends = min(now + idle, since + timedelta(seconds=settings.SESSION_COOKIE_AGE))
    row = UserSession(session_id=str(session.session_key), user_id=user.pk, created_at=since, seen_at=now)
    row.browser = browser_name(request.headers.get("User-Agent", ""))
    UserSession.objects.bulk_create([row], update_conflicts=True, unique_fields=["session"], update_fields=["seen_at"])
    Session.objects.filter(pk=session.session_key).update(expire_date=session.ends)


class UserBackend(ModelBackend):
    """Django's users with a password."""

    def get_user(self, user_id: Any) -> User | None:
        for user in _user(int(user_id)):
            return user if self.user_can_authenticate(user) else None
        return None


@compiled
def _session(key: str) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key).select_related("of_user")


@compiled
def _user(key: int) -> QuerySet[User]:
    return User.objects.filter(pk=key)
