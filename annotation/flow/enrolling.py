"""Who runs a project: members come in, get another role, and go. One owner at least remains."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow import recording
from annotation.flow.refusal import Refused
from annotation.models import AuditEntry, Member, Project, User, clock

BACK_FOR = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Gone:
    """A member who was removed and may be brought back."""

    user: User
    role: str
    at: datetime

    @property
    def label(self) -> str:
        return str(Member.Role(self.role).label)


@transaction.atomic
def enter(project: Project, user: User, role: str) -> bool:
    """Make the user a member; the first one of a project owns it. False when they are one already."""
    _lock(project)
    first = not project.members.filter(role=Member.Role.OWNER).exists()
    member, new = Member.objects.get_or_create(
        project=project, user=user, defaults={"role": Member.Role.OWNER if first else role}
    )
    if new:
        recording.record("joined", member, role=member.role)
    return new


@transaction.atomic
def change_role(member: Member, role: str) -> bool:
    """Give a member another role; False when they have it. Raises Refused for the last owner."""
    _lock(member.project)
    current = Member.objects.select_related("project").get(pk=member.pk)
    if current.role == role:
        return False
    _keep_an_owner(current)
    Member.objects.filter(pk=current.pk).update(role=role)
    recording.record("role changed", current, role=role, before=current.role)
    return True


@transaction.atomic
def remove(member: Member) -> bool:
    """Take somebody out of the project; what they did stays. False when they are gone. Raises Refused as well."""
    _lock(member.project)
    current = Member.objects.select_related("project").filter(pk=member.pk).first()
    if current is None:
        return False
    _keep_an_owner(current)
    recording.record("removed", current, role=current.role)
    current.delete()
    return True


def _lock(project: Project) -> None:
    """Two owners who leave at the same moment must see each other."""
    Project.everything.select_for_update(no_key=True).get(pk=project.pk)


def _keep_an_owner(member: Member) -> None:
    owners = member.project.members.filter(role=Member.Role.OWNER, user__is_active=True)
    if member.role == Member.Role.OWNER and not owners.exclude(pk=member.pk).exists():
        text = _("%(person)s is the project's only owner. Make somebody else an owner first.")
        raise Refused(text % {"person": member.user})


def gone(project: Project) -> list[Gone]:
    """Members who were removed within BACK_FOR and did not come back, the latest first."""
    lines = AuditEntry.objects.filter(project=project, kind="member", act="removed", at__gt=clock.now() - BACK_FOR)
    latest = {int(line.key): line for line in lines.order_by("at", "pk")}
    here = project.members.values("user")
    people = User.objects.filter(pk__in=latest, is_active=True).exclude(pk__in=here)
    found = [Gone(user, latest[user.pk].details["role"], latest[user.pk].at) for user in people]
    return sorted(found, key=lambda one: one.at, reverse=True)


def bring_back(project: Project, user: User) -> bool:
    """Undo a removal: the same person in the same role. False when there is none to undo."""
    before = next((one for one in gone(project) if one.user.pk == user.pk), None)
    return before is not None and enter(project, user, before.role)
