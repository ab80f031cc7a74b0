"""Access keys of the MTurk API: create and revoke."""

import secrets
from decimal import Decimal

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.money import ledger
from annotation.flow.people.requesters import Requester
from annotation.flow.projects import audit_log
from annotation.models import AccessKey, Project, User
from annotation.models.project import ID_ALPHABET

PREFIX = "HOPS"
FIRST_BALANCE = Decimal("10000.00")


@transaction.atomic
def make(project: Project, user: User) -> AccessKey:
    """Create a key; its `secret` is to be shown once. It works while the user is a member of the project."""
    key_id = PREFIX + "".join(secrets.choice(ID_ALPHABET) for _place in range(16))
    made = AccessKey.objects.create(project=project, user=user, key_id=key_id, secret=secrets.token_urlsafe(30))
    audit_log.record("made", made)
    return made


@transaction.atomic
def revoke(key: AccessKey) -> bool:
    """Revoke a key; False if it was revoked before."""
    if not AccessKey.objects.filter(pk=key.pk, revoked_at__isnull=True).update(revoked_at=Now()):
        return False
    audit_log.record("revoked", key)
    return True


def endow(made: Requester, key: AccessKey, balance: Decimal | None) -> None:
    """Add money to the budget: `balance`, or the initial amount of a project created for its requester."""
    amount = balance if balance is not None else FIRST_BALANCE if made.new_project else Decimal(0)
    ledger.deposit(made.project, amount, key=f"key/{key.key_id}", user=made.user, note=_("with an access key"))
