"""API tokens: create, authenticate, revoke."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.flow.projects import audit_log
from annotation.models import ApiToken, Project, User, clock

PREFIX = "hop_"  # recognisable for secret scanners
FRESH = timedelta(minutes=5)  # precision of `last_used_at`


@transaction.atomic
def make(
    user: User,
    *,
    project: Project | None = None,
    scope: str = ApiToken.Scope.WRITE,
    note: str = "",
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Create a token; returns it and its text, which is not stored. Without a project it is valid for all."""
    text = PREFIX + secrets.token_urlsafe(32)
    terms = {"project": project, "scope": scope, "note": note, "expires_at": expires_at}
    made = ApiToken.objects.create(user=user, digest=_digest(text), ending=text[-4:], **terms)
    if project is not None:
        audit_log.record("made", made)
    return made, text


def recognise(text: str) -> ApiToken | None:
    """The valid token with that text; records its use."""
    valid = Q(revoked_at__isnull=True) & (Q(expires_at__isnull=True) | Q(expires_at__gt=Now()))
    rows = ApiToken.objects.filter(valid, digest=_digest(text), user__is_active=True)
    token = rows.select_related("user", "project").first()
    if token is not None and (token.last_used_at is None or token.last_used_at < clock.now() - FRESH):
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=Now())
    return token


@transaction.atomic
def revoke(token: ApiToken) -> bool:
    """Revoke a token; False if it was revoked before."""
    if not ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=Now()):
        return False
    if token.project is not None:
        audit_log.record("revoked", token)
    return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
