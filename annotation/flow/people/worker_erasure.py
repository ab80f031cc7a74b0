"""Erasure of a person's data, keeping their responses under the pseudonym.

A pseudonym is computed from the worker's primary key, which stays: exports before and after use the same one.
"""

import secrets
from decimal import Decimal

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation import models
from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.people import two_factor
from annotation.flow.projects import audit_log
from annotation.flow.work import leases, next_assignment
from annotation.models import (
    AccessKey,
    ApiRequest,
    ApiToken,
    Assignment,
    Hit,
    Member,
    Message,
    PayoutLine,
    ProblemReport,
    Project,
    User,
    Worker,
    WorkerResponse,
)
from annotation.models.project import worker_id
from annotation.pure.batches import lifecycle
from annotation.pure.people import roles
from annotation.recruitment import marketplaces

GONE = "deleted account"


def owned_alone(user: User) -> list[Project]:
    """Projects with this only owner: without the account nobody could manage their settings and money."""
    owned = Project.objects.filter(members__user=user, members__role=roles.OWNER)
    others = Member.objects.filter(role=roles.OWNER, user__is_active=True).exclude(user=user)
    return list(owned.exclude(pk__in=others.values("project")).distinct().order_by("title"))


def owed(*workers: Worker) -> Decimal:
    """Dollars owed to the workers, including open payouts. They can be paid only while their identity is known."""
    kept = sum((ledger.balance(worker.project, ledger.owed_to(worker.pk)) for worker in workers), Decimal(0))
    lines = PayoutLine.objects.filter(worker__in=workers, state=PayoutLine.State.OPEN)
    return kept + (lines.aggregate(sum=Sum("amount"))["sum"] or Decimal(0))


@transaction.atomic
def erase_worker(worker: Worker) -> bool:
    """Erase a worker's identity at their request; False if that was done before.

    Raises Refused while they are owed money, or decisions were not yet sent to a marketplace.
    """
    if amount := owed(worker):
        text = _("They are still owed $%(amount)s. Pay them first: afterwards nobody can tell whose money it is.")
        raise Refused(text % {"amount": amount})
    if models.Payment.objects.unsettled().filter(worker=worker).exists() or marketplaces().keep_worker(worker):
        raise Refused(_("Some of their work has not been sent to the marketplace yet. Erase them afterwards."))
    if not _forget(worker):
        return False
    audit_log.record("erased", worker)
    return True


def _forget(worker: Worker) -> bool:
    """Remove every link from the row to a person; assignments under way go back to the queue."""
    held = models.Assignment.objects.filter(worker=worker, state=lifecycle.ACCEPTED).select_related("batch")
    for assignment in held.order_by("pk"):
        leases.return_assignment(assignment)
    next_assignment.let_go(worker=worker)
    # a worker needs an account or an external id, so give them a meaningless one
    nobody = f"erased-{secrets.token_hex(8)}"
    row = Worker.objects.filter(pk=worker.pk, erased_at__isnull=True)
    who = {"user": None, "external_id": nobody, "public_id": worker_id()}  # the public id may be one of Mechanical Turk
    if not row.update(**who, country="", subdivision="", adult=False, active=False, erased_at=Now()):
        return False
    marketplaces().forget_worker(worker, nobody=nobody)
    Message.objects.filter(worker=worker).delete()
    return True


@transaction.atomic
def delete_account(user: User) -> None:
    """Erase a person in all projects. Raises Refused if they are the only owner of a project.

    The account's row stays, empty: their reviews keep the pseudonym of exports.
    """
    projects = Project.everything.filter(pk__in=user.memberships.values("project"))
    # lock: of two owners who leave at once, the second must see that the first is gone
    list(projects.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    if alone := owned_alone(user):
        text = _("You are the only owner of %(projects)s. Make somebody else an owner first, or delete the project.")
        raise Refused(text % {"projects": ", ".join(f"“{project}”" for project in alone)})
    for worker in user.workers.select_related("project").order_by("pk"):
        _forget(worker)
    for rows in (Member, AccessKey, ApiToken, ApiRequest, models.Notice):
        rows.objects.filter(user=user).delete()
    for written in (Message, models.Comment):
        written.objects.filter(author=user).update(author=None)
    user.refresh_from_db()
    user.username, user.display_name = f"deleted-{secrets.token_hex(8)}", GONE
    user.email = user.first_name = user.last_name = ""
    user.shortcuts, user.language, user.last_login, user.is_active = {}, "", None, False
    user.is_staff = user.is_superuser = False
    user.set_unusable_password()
    user.save()
    two_factor.remove(user)
    models.UserSession.objects.filter(user=user).delete()


@transaction.atomic
def erase(assignments: QuerySet[Assignment]) -> int:
    """Erase responses with all revisions, drafts, and texts of problem reports; returns of how many assignments.

    Exclude the responses before. Idempotent.
    """
    reports_with_text = ProblemReport.objects.filter(assignment=OuterRef("pk")).exclude(text="")
    has_content = Q(responses__isnull=False) | Q(draft__isnull=False) | Exists(reports_with_text)
    keys = sorted(set(assignments.filter(has_content).values_list("pk", flat=True)))
    erased, changed = 0, set()
    for key in keys:
        row = Assignment.locked(key, "batch__project")  # lock: a change may be submitted at the same time
        gone, _models = WorkerResponse.objects.filter(assignment=row).delete()
        Assignment.objects.filter(pk=key).update(draft=None)
        reports = ProblemReport.objects.filter(assignment=row).exclude(text="").update(text="")
        if gone:
            changed.add(row.hit_id)
        if gone or reports or row.draft is not None:
            audit_log.record("erased", row)
            erased += 1
    Hit.objects.filter(pk__in=changed).note_change()  # after all assignments, as in the lock order
    return erased
