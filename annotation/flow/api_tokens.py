"""API tokens: made, recognised, revoked."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.flow import recording
from annotation.models import ApiToken, Project, User, clock

PREFIX = "hop_"  # so that a scanner of repositories knows one when it sees it
FRESH = timedelta(minutes=5)  # `last_used_at` is right to this


@transaction.atomic
def make(
    user: User,
    *,
    project: Project | None = None,
    scope: str = ApiToken.Scope.WRITE,
    note: str = "",
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """A new token and its text, to be shown once: it is not stored. Without a project it opens all of theirs."""
    text = PREFIX + secrets.token_urlsafe(32)
    wish = {"project": project, "scope": scope, "note": note, "expires_at": expires_at}
    made = ApiToken.objects.create(user=user, digest=_digest(text), ending=text[-4:], **wish)
    if project is not None:
        recording.record("made", made)
    return made, text


def recognise(text: str) -> ApiToken | None:
    """The token with that text, if it is worth something; notes that it was used."""
    valid = Q(revoked_at__isnull=True) & (Q(expires_at__isnull=True) | Q(expires_at__gt=Now()))
    rows = ApiToken.objects.filter(valid, digest=_digest(text), user__is_active=True)
    token = rows.select_related("user", "project").first()
    if token is not None and (token.last_used_at is None or token.last_used_at < clock.now() - FRESH):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=Now())
    return token


@transaction.atomic
def revoke(token: ApiToken) -> bool:
    """Make a token worthless; False when it was before."""
    if not ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=Now()):
        return False
    if token.project is not None:
        recording.record("revoked", token)
    return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
