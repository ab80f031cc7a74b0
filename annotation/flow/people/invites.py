"""Invite links: made, accepted, revoked."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import members
from annotation.flow.projects import audit_log
from annotation.flow.projects.projects import project_named
from annotation.flow.projects.request_context import acting
from annotation.models import Invite, Project, User, Worker


@transaction.atomic
def invite(project: Project, *, role: str, by: User | None, places: int = 1, days: int = 14, note: str = "") -> Invite:
    """Create an invite link for `places` people, valid for `days` days."""
    terms = {"role": role, "created_by": by, "places": places, "note": note}
    made = Invite.objects.create(project=project, expires_at=Now() + timedelta(days=days), **terms)
    audit_log.record("invited", made, role=role, places=places, days=days)
    return made


@transaction.atomic
def first_invite() -> Invite | None:
    """The link by which a new installation gets its first account, an owner's; None once anybody has one."""
    if User.objects.exists():
        return None
    project = project_named()
    made = project.invites.filter(role=Invite.Role.OWNER, created_by=None, used=0, expires_at__gt=Now()).first()
    return made or invite(project, role=Invite.Role.OWNER, by=None, note=_("First account"))


def usable_invite(token: str) -> Invite | None:
    """The invite of a link that has places left and is neither revoked nor expired."""
    open_ones = Invite.objects.filter(revoked_at__isnull=True, expires_at__gt=Now(), used__lt=F("places"))
    open_ones = open_ones.filter(project__removed_at__isnull=True)
    return open_ones.select_related("project").filter(token=token).first()


def joined_by(token: str, user: User) -> Invite | None:
    """The invite of a link, usable or not, if the user is already what it would make them."""
    found = Invite.objects.filter(token=token, project__removed_at__isnull=True).select_related("project").first()
    if found is None:
        return None
    there = found.project.workers if found.role == Invite.Role.WORKER else found.project.members
    return found if there.filter(user=user).exists() else None


@transaction.atomic
def accept_invite(invited: Invite, user: User) -> None:
    """Make the user a worker or a member of the project; existing ones use up no place of the invite."""
    with acting(audit_log.Via.PAGE, lambda: user):  # nobody was signed in before, so name the acting user
        if not _let_in(invited, user):
            return
    row = Invite.objects.filter(pk=invited.pk, revoked_at__isnull=True, used__lt=F("places"))
    if not row.update(used=F("used") + 1):
        raise Refused(_("This link was used up a moment ago. Ask for a new one."))


def _let_in(invited: Invite, user: User) -> bool:
    """Add the user; True if they are new there."""
    if invited.role != Invite.Role.WORKER:
        return members.add_member(invited.project, user, invited.role)
    worker, new = Worker.objects.get_or_create(project=invited.project, user=user)
    if new:
        audit_log.record("joined", worker)
    return new


@transaction.atomic
def revoke_invite(invited: Invite) -> bool:
    """Revoke an invite; people who joined with it stay. False if it was revoked before."""
    if not Invite.objects.filter(pk=invited.pk, revoked_at__isnull=True).update(revoked_at=Now()):
        return False
    audit_log.record("revoked", invited)
    return True
