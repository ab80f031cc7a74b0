"""Open sign-up, workers' details and whether they are active, and who may reset a password."""

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.models import Member, Project, User, Worker
from annotation.pure.people import roles


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


@transaction.atomic
def set_active(worker: Worker, *, active: bool) -> None:
    """Activate or deactivate a worker. Their responses stay either way."""
    if Worker.objects.filter(pk=worker.pk, active=not active).update(active=active):
        audit_log.record("reactivated" if active else "deactivated", worker)


def may_see_link(person: User) -> bool:
    """Whether others may see a link that sets the person's password: only while the account was never used."""
    return person.last_login is None


def may_reset_password(requester: User, person: User) -> bool:
    """Whether a requester may have a link made that sets a person's password, to show it or to mail it to the person.

    The link gives access to everything the person can access, so all of it must belong to the requester.
    """
    if person.is_staff or person.is_superuser or not person.is_active:
        return False
    run = Member.objects.filter(user=requester)
    owned = run.filter(role__in=roles.who_may(roles.OWN)).values("project")
    staffed = run.filter(role__in=roles.who_may(roles.PEOPLE)).values("project")
    as_member = Member.objects.filter(user=person).exclude(project__in=owned)
    return not as_member.exists() and not Worker.objects.filter(user=person).exclude(project__in=staffed).exists()
