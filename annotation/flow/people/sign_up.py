"""Joining: the first project, invites, open sign-up, reading the instructions."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import members
from annotation.flow.projects import audit_log
from annotation.flow.projects.request_context import acting
from annotation.models import Invite, Member, Participation, Project, User, Worker
from annotation.pure.people import consent_text, roles


def project_named(slug: str = "default") -> Project:
    """The project of that name; `default` is created on first use. Raises Refused for other unknown names."""
    if slug == "default":
        defaults = {"title": _("Default project"), "consent": consent_text.DEFAULT}
        return Project.objects.get_or_create(slug=slug, defaults=defaults)[0]
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)) or "default"
        raise Refused(_("There is no project %(slug)s. There are: %(known)s.") % {"slug": slug, "known": known})
    return project


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
        return members.enter(invited.project, user, invited.role)
    worker, new = Worker.objects.get_or_create(project=invited.project, user=user)
    if new:
        audit_log.record("joined", worker)
    return new


def may_sign_up(project: Project, user: User | None) -> bool:
    """Whether the project's open page lets this person join; `user` is None without an account."""
    if project.sign_up == Project.SignUp.OPEN:
        return True
    return project.sign_up == Project.SignUp.ANY_ACCOUNT and user is not None


def sign_up(project: Project, user: User) -> Worker:
    """Make the user a worker of a project with open sign-up. Raises Refused if it does not admit them."""
    current = Project.objects.get(pk=project.pk)
    if not may_sign_up(current, user):
        raise Refused(_("People can join this project by invite only."))
    return Worker.objects.get_or_create(project=current, user=user)[0]


def state_details(worker: Worker, *, country: str, subdivision: str, adult: bool) -> None:
    """Store what a worker states about themselves, for requirements on country and adult content."""
    Worker.objects.filter(pk=worker.pk).update(country=country, subdivision=subdivision, adult=adult)


def read_instructions(participation: Participation, *, version: int) -> None:
    """Record that the worker read this version of the instructions."""
    unread = Participation.objects.filter(pk=participation.pk, instructions_version__lt=version)
    unread.update(instructions_version=version)


@transaction.atomic
def revoke_invite(invited: Invite) -> bool:
    """Revoke an invite; people who joined with it stay. False if it was revoked before."""
    if not Invite.objects.filter(pk=invited.pk, revoked_at__isnull=True).update(revoked_at=Now()):
        return False
    audit_log.record("revoked", invited)
    return True


@transaction.atomic
def set_active(worker: Worker, *, active: bool) -> None:
    """Activate or deactivate a worker. Their responses stay either way."""
    if Worker.objects.filter(pk=worker.pk, active=not active).update(active=active):
        audit_log.record("reactivated" if active else "deactivated", worker)


@transaction.atomic
def change_project(project: Project, *, consent: str, **columns: Any) -> bool:
    """Save the consent text and other `columns`; True if the text changed, so that workers must accept it again."""
    Project.objects.filter(pk=project.pk).update(**columns)
    other = Project.objects.filter(pk=project.pk).exclude(consent=consent)
    changed = bool(other.update(consent=consent, consent_version=F("consent_version") + 1))
    audit_log.record("settings changed", project, consent_changed=changed)
    return changed


def may_reset_password(requester: User, person: User) -> bool:
    """Whether a requester may create a link to reset a person's password.

    The link gives access to everything the person can access, so all of it must belong to the requester.
    """
    if person.is_staff or person.is_superuser or not person.is_active:
        return False
    run = Member.objects.filter(user=requester)
    owned = run.filter(role__in=roles.who_may(roles.OWN)).values("project")
    staffed = run.filter(role__in=roles.who_may(roles.PEOPLE)).values("project")
    as_member = Member.objects.filter(user=person).exclude(project__in=owned)
    return not as_member.exists() and not Worker.objects.filter(user=person).exclude(project__in=staffed).exists()
