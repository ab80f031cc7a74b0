"""UniqueRequestTokens, by which a request that is sent twice takes effect once.

A token is used for 24 hours, in the transaction of its effect: a simultaneous request with it waits, and then fails.
"""

from datetime import timedelta

from django.db import connection
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


# Inserts a token or renews an expired one; changes no row if it is in use. One statement, so that a failure does not
# end the transaction.
SPEND = """
    INSERT INTO mturk_api_requesttoken (project_id, family, token, result, created_at) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (project_id, family, token) DO UPDATE SET result = excluded.result, created_at = excluded.created_at
    WHERE mturk_api_requesttoken.created_at <= %s
"""


def spend(project: Project, family: str, token: str, *, result: str = "") -> None:
    """Use a token; `family` names the operations that share tokens, `result` the created object's id. Raises Spent.

    Call it in the transaction of the effect, before it: if that fails, the token is unused.
    """
    now = clock.now()
    times = [connection.ops.adapt_datetimefield_value(at) for at in (now, now - LASTS)]
    with connection.cursor() as cursor:
        cursor.execute(SPEND, [project.pk, family, token, result, *times])
        if cursor.rowcount:
            return
    spent = RequestToken.objects.filter(project=project, family=family, token=token)
    raise Spent(token, spent.values_list("result", flat=True).first() or "")


def forget_old() -> int:
    """Delete expired tokens; returns how many. Safe to run twice."""
    return RequestToken.objects.filter(created_at__lte=clock.now() - LASTS).delete()[0]
