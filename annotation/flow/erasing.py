"""Forgetting a person and keeping what they did: the pseudonym stays with every answer, who is behind it goes for good.

A pseudonym is made from the key of the worker's row, which stays: exports made before and after name the same people.
"""

from __future__ import annotations

import secrets
from decimal import Decimal

from django.db import transaction
from django.db.models import Q, Sum
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import assigning, ledger, proving, recording
from annotation.flow.refusal import Refused
from annotation.models import (
    AccessKey,
    ApiRequest,
    ApiToken,
    Arrival,
    Assignment,
    Member,
    Message,
    Notice,
    Payment,
    PayoutLine,
    Project,
    User,
    Worker,
)
from annotation.models.project import worker_id
from annotation.models.publication import Publication
from annotation.pure import lifecycle, roles

GONE = "deleted account"


def owned_alone(user: User) -> list[Project]:
    """The projects that nobody else owns: with this account, nobody could run their settings and money any more."""
    mine = Project.objects.filter(members__user=user, members__role=roles.OWNER)
    others = Member.objects.filter(role=roles.OWNER, user__is_active=True).exclude(user=user)
    return list(mine.exclude(pk__in=others.values("project")).distinct().order_by("title"))


def owed(*workers: Worker) -> Decimal:
    """What they are owed, open payouts included. It can be paid only as long as it is known to whom."""
    kept = sum((ledger.balance(worker.project, ledger.owed_to(worker.pk)) for worker in workers), Decimal(0))
    lines = PayoutLine.objects.filter(worker__in=workers, state=PayoutLine.State.OPEN)
    return kept + (lines.aggregate(sum=Sum("amount"))["sum"] or Decimal(0))


@transaction.atomic
def erase_worker(worker: Worker) -> bool:
    """Erase who a worker is, as an owner does who was asked to; False when that was done before.

    Raises Refused while they are owed money, or a marketplace has still to be told what became of their work.
    """
    if amount := owed(worker):
        text = _("They are still owed $%(amount)s. Pay it out first: afterwards nobody knows to whom it belongs.")
        raise Refused(text % {"amount": amount})
    if Payment.objects.unsettled().filter(worker=worker).exists() or _undecided_there(worker):
        raise Refused(_("The marketplace has still to be told of their work. Erase them when it has been."))
    if not _forget(worker):
        return False
    recording.record("erased", worker)
    return True


def _undecided_there(worker: Worker) -> bool:
    """Whether work of theirs waits on a marketplace, which knows it by their id alone."""
    rows = Arrival.objects.filter(assignment__worker=worker, assignment__state=lifecycle.SUBMITTED)
    return rows.exclude(remote_state__in=["Approved", "Rejected"]).exclude(_closed_there()).exists()


def _closed_there() -> Q:
    return Q(publication__state=Publication.State.FAILED)


def _forget(worker: Worker) -> bool:
    """Cut every tie from the row to a person; what they hold goes back to the queue."""
    held = Assignment.objects.filter(worker=worker, state=lifecycle.ACCEPTED).select_related("batch")
    for assignment in held.order_by("pk"):
        assigning.give_back(assignment)
    nobody = f"erased-{secrets.token_hex(8)}"  # a worker is somebody: an account, or a name that says nothing
    row = Worker.objects.filter(pk=worker.pk, erased_at__isnull=True)
    who = {"user": None, "external_id": nobody, "public_id": worker_id()}  # the last may be an ID of Mechanical Turk
    if not row.update(**who, country="", subdivision="", adult=False, active=False, erased_at=Now()):
        return False
    Arrival.objects.filter(assignment__worker=worker).update(external_worker=nobody)
    Message.objects.filter(worker=worker).delete()
    return True


@transaction.atomic
def delete_account(user: User) -> None:
    """Erase a person everywhere. Raises Refused where they are the only owner of a project.

    The account's row stays, empty: decisions and reviews keep the pseudonym that they have in exports.
    """
    theirs = Project.everything.filter(pk__in=user.memberships.values("project"))
    list(theirs.select_for_update(no_key=True).order_by("pk").values_list("pk"))  # two owners who leave see each other
    if alone := owned_alone(user):
        text = _("You are the only owner of %(projects)s. Make somebody else an owner first, or delete the project.")
        raise Refused(text % {"projects": ", ".join(f"“{project}”" for project in alone)})
    for worker in user.workers.select_related("project").order_by("pk"):
        _forget(worker)
    for rows in (Member, AccessKey, ApiToken, ApiRequest, Notice):
        rows.objects.filter(user=user).delete()
    Message.objects.filter(author=user).update(author=None)
    user.refresh_from_db()
    user.username, user.display_name = f"deleted-{secrets.token_hex(8)}", GONE
    user.email = user.first_name = user.last_name = ""
    user.shortcuts, user.language, user.last_login, user.is_active = {}, "", None, False
    user.is_staff = user.is_superuser = False
    user.set_unusable_password()
    user.save()
    proving.remove(user)
