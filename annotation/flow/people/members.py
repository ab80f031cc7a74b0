"""Members of a project: invited by links, added, removed, with other roles. At least one owner remains."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.flow.projects.request_context import acting
from annotation.models import AuditEntry, Invite, Member, Project, User, Worker, clock

BACK_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class RemovedMember:
    """A removed member who can be restored."""

    user: User
    role: str
    at: datetime

    @property
    def label(self) -> str:
        return str(Member.Role(self.role).label)


@transaction.atomic
def add_member(project: Project, user: User, role: str) -> bool:
    """Make the user a member; the project's first member becomes owner. False if they are a member already."""
    _lock(project)
    role = role if project.members.filter(role=Member.Role.OWNER).exists() else Member.Role.OWNER
    member, new = Member.objects.get_or_create(project=project, user=user, defaults={"role": role})
    if new:
        audit_log.record("joined", member, role=member.role)
    return new


@transaction.atomic
def change_role(member: Member, role: str) -> bool:
    """Change a member's role; False if they have it already. Raises Refused for the last owner."""
    _lock(member.project)
    current = Member.objects.select_related("project").get(pk=member.pk)
    if current.role == role:
        return False
    _keep_an_owner(current)
    Member.objects.filter(pk=current.pk).update(role=role)
    audit_log.record("role changed", current, role=role, before=current.role)
    return True


@transaction.atomic
def remove(member: Member) -> bool:
    """Remove a member; their work stays. False if they were removed before. Raises Refused for the last owner."""
    _lock(member.project)
    current = Member.objects.select_related("project").filter(pk=member.pk).first()
    if current is None:
        return False
    _keep_an_owner(current)
    audit_log.record("removed", current, role=current.role)
    current.delete()
    return True


def _lock(project: Project) -> None:
    """Lock the project, so that two owners who leave at the same time do not both count the other."""
    Project.everything.select_for_update(no_key=True).get(pk=project.pk)


def _keep_an_owner(member: Member) -> None:
    owners = member.project.members.filter(role=Member.Role.OWNER, user__is_active=True)
    if member.role == Member.Role.OWNER and not owners.exclude(pk=member.pk).exists():
        text = _("%(person)s is the only owner of the project. Make somebody else an owner first.")
        raise Refused(text % {"person": member.user})


def removed_members(project: Project) -> list[RemovedMember]:
    """Members removed within BACK_FOR and not restored, latest first."""
    lines = AuditEntry.objects.filter(project=project, kind="member", act="removed", at__gt=clock.now() - BACK_FOR)
    latest = {int(line.key): line for line in lines.order_by("at", "pk")}
    here = project.members.values("user")
    people = User.objects.filter(pk__in=latest, is_active=True).exclude(pk__in=here)
    found = [RemovedMember(user, latest[user.pk].details["role"], latest[user.pk].at) for user in people]
    return sorted(found, key=lambda one: one.at, reverse=True)


def restore_member(project: Project, user: User) -> bool:
    """Restore a removed member in their former role. False if there is none to restore."""
    before = next((one for one in removed_members(project) if one.user.pk == user.pk), None)
    return before is not None and add_member(project, user, before.role)


@transaction.atomic
def invite(project: Project, *, role: str, by: User | None, places: int = 1, days: int = 14, note: str = "") -> Invite:
    """Create an invite link for `places` people, valid for `days` days."""
    terms = {"role": role, "created_by": by, "places": places, "note": note}
    made = Invite.objects.create(project=project, expires_at=Now() + timedelta(days=days), **terms)
    audit_log.record("invited", made, role=role, places=places, days=days)
    return made


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
        return add_member(invited.project, user, invited.role)
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
