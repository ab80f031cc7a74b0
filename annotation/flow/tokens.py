"""Tokens that a requester's script gives to its requests, so that a request sent twice has its effect once.

A token is used up for 24 hours, in the transaction of the effect: whoever sends it meanwhile waits, and is told.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow.refusal import Conflict
from annotation.models import Project, RequestToken, clock

LASTS = timedelta(hours=24)


class Spent(Conflict):
    """The token was used in the last 24 hours; `result` is the id of what it made then."""

    def __init__(self, token: str, result: str) -> None:
        self.token, self.result = token, result
        super().__init__(_("This request was carried out before, under the same token."))


@transaction.atomic
def spend(project: Project, family: str, token: str, *, result: str = "") -> None:
    """Use a token up; `family` names the operations that share tokens, `result` what this one makes. Raises Spent.

    To be called in the transaction of the effect, before it: if that fails, the token is as good as new.
    """
    mine = RequestToken.objects.filter(project=project, family=family, token=token)
    now = clock.now()
    mine.filter(created_at__lte=now - LASTS).delete()
    try:
        with transaction.atomic():
            RequestToken.objects.create(project=project, family=family, token=token, result=result, created_at=now)
    except IntegrityError:
        before = mine.values_list("result", flat=True).first()
        raise Spent(token, before or "") from None


def forget_old() -> int:
    """Remove the tokens that are valid again; returns how many. Safe to run twice."""
    return RequestToken.objects.filter(created_at__lte=clock.now() - LASTS).delete()[0]
