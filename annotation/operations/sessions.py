"""Sessions and their users, read by queries whose SQL is made once: every request begins with both."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.db.models.functions import Now

from annotation.models import User
from annotation.models.compiled import compiled


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
