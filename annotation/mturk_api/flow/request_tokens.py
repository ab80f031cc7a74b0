"""UniqueRequestTokens, by which a request that is sent twice takes effect once.

A token is used for 24 hours, in the transaction of its effect: a simultaneous request with it waits, and then fails.
"""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow.errors import Conflict
from annotation.models import Project, clock
from annotation.mturk_api.models import RequestToken

LASTS = timedelta(hours=24)


class Spent(Conflict):
    """The token was used in the last 24 hours; `result` is the id of the created object."""

    def __init__(self, token: str, result: str) -> None:
        self.token, self.result = token, result
        super().__init__(_("This request was already carried out with the same token."))


@transaction.atomic
def spend(project: Project, family: str, token: str, *, result: str = "") -> None:
    """Use a token; `family` names the operations that share tokens, `result` the created object's id. Raises Spent.

    Call it in the transaction of the effect, before it: if that fails, the token is unused.
    """
    spent = RequestToken.objects.filter(project=project, family=family, token=token)
    now = clock.now()
    spent.filter(created_at__lte=now - LASTS).delete()
    try:
        with transaction.atomic():
            RequestToken.objects.create(project=project, family=family, token=token, result=result, created_at=now)
    except IntegrityError:
        before = spent.values_list("result", flat=True).first()
        raise Spent(token, before or "") from None


def forget_old() -> int:
    """Delete expired tokens; returns how many. Safe to run twice."""
    return RequestToken.objects.filter(created_at__lte=clock.now() - LASTS).delete()[0]
