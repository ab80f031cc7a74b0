"""Members of a project: adding, changing roles, removing. At least one owner remains."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.models import AuditEntry, Member, Project, User, clock

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
