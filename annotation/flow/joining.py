"""How people come in: the first project, invites, consent, reading the guide."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import enrolling, recording
from annotation.flow.refusal import Refused
from annotation.models import Invite, Member, Project, Seat, User, Worker
from annotation.pure import roles

DEFAULT_CONSENT = """\
Your answers are used for research on question answering. They are published under a pseudonym, never with
your name. We store what you submit, when, and how long the page was in active use; we do not record keys.
You may stop at any time. What you submitted until then is kept.
"""


def project_named(slug: str = "default") -> Project:
    """The project of that name; `default` is made on first use. Raises Refused for any other unknown name."""
    if slug == "default":
        defaults = {"title": _("Default project"), "consent": DEFAULT_CONSENT}
        return Project.objects.get_or_create(slug=slug, defaults=defaults)[0]
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)) or "default"
        raise Refused(_("There is no project %(slug)s. There are: %(known)s.") % {"slug": slug, "known": known})
    return project


@transaction.atomic
def invite(project: Project, *, role: str, by: User | None, places: int = 1, days: int = 14, note: str = "") -> Invite:
    """A link for `places` people, good for `days` days."""
    made = Invite.objects.create(
        project=project,
        role=role,
        created_by=by,
        places=places,
        note=note,
        expires_at=Now() + timedelta(days=days),
    )
    recording.record("invited", made, role=role, places=places, days=days)
    return made


def usable_invite(token: str) -> Invite | None:
    """The invite behind a link while it has places left, is not revoked and not over."""
    open_ones = Invite.objects.filter(revoked_at__isnull=True, expires_at__gt=Now(), used__lt=F("places"))
    open_ones = open_ones.filter(project__removed_at__isnull=True)
    return open_ones.select_related("project").filter(token=token).first()


@transaction.atomic
def accept_invite(invited: Invite, user: User) -> None:
    """Make the user a worker or a member of the project. Whoever is one already uses up no place."""
    with recording.acting(recording.Via.PAGE, lambda: user):  # who was signed in by nobody yet
        if not _let_in(invited, user):
            return
    row = Invite.objects.filter(pk=invited.pk, revoked_at__isnull=True, used__lt=F("places"))
    if not row.update(used=F("used") + 1):
        raise Refused(_("This link was used up a moment ago. Ask for a new one."))


def _let_in(invited: Invite, user: User) -> bool:
    """Whether they are new there."""
    if invited.role != Invite.Role.WORKER:
        return enrolling.enter(invited.project, user, invited.role)
    worker, new = Worker.objects.get_or_create(project=invited.project, user=user)
    if new:
        recording.record("joined", worker)
    return new


def may_sign_up(project: Project, user: User | None) -> bool:
    """Whether the project has an open page for this person: `user` is None for somebody without an account here."""
    if project.sign_up == Project.SignUp.OPEN:
        return True
    return project.sign_up == Project.SignUp.HOUSE and user is not None


def sign_up(project: Project, user: User) -> Worker:
    """Make the user a worker of a project that lets people in. Raises Refused where it does not, by now."""
    current = Project.objects.get(pk=project.pk)
    if not may_sign_up(current, user):
        raise Refused(_("This project lets people in by invite only."))
    return Worker.objects.get_or_create(project=current, user=user)[0]


def state_details(worker: Worker, *, country: str, subdivision: str, adult: bool) -> None:
    """Keep what a worker says of themselves; requirements on country and adult content go by it."""
    Worker.objects.filter(pk=worker.pk).update(country=country, subdivision=subdivision, adult=adult)


def consent(worker: Worker, *, version: int) -> None:
    """Note that the worker accepted this version of the project's consent text."""
    Worker.objects.filter(pk=worker.pk).update(consented_version=version, consented_at=Now())


def read_guide(seat: Seat, *, version: int) -> None:
    """Note that the worker read this version of the batch's guide."""
    Seat.objects.filter(pk=seat.pk, guide_version__lt=version).update(guide_version=version)


@transaction.atomic
def revoke_invite(invited: Invite) -> bool:
    """Close a link; who joined with it stays. False when it was closed before."""
    if not Invite.objects.filter(pk=invited.pk, revoked_at__isnull=True).update(revoked_at=Now()):
        return False
    recording.record("revoked", invited)
    return True


@transaction.atomic
def set_active(worker: Worker, *, active: bool) -> None:
    """Let a worker take assignments, or no more. What they submitted stays either way."""
    if Worker.objects.filter(pk=worker.pk, active=not active).update(active=active):
        recording.record("reactivated" if active else "deactivated", worker)


@transaction.atomic
def change_project(project: Project, *, consent: str, **columns: Any) -> bool:
    """Save the consent text and other `columns`; True when it changed, so that workers must accept it again."""
    Project.objects.filter(pk=project.pk).update(**columns)
    other = Project.objects.filter(pk=project.pk).exclude(consent=consent)
    changed = bool(other.update(consent=consent, consent_version=F("consent_version") + 1))
    recording.record("settings changed", project, consent_changed=changed)
    return changed


def may_reset_password(requester: User, person: User) -> bool:
    """Whether a requester may make a link that sets a person's password.

    Such a link opens everything that the person may open, so all of it must be the requester's own already.
    """
    if person.is_staff or person.is_superuser or not person.is_active:
        return False
    run = Member.objects.filter(user=requester)
    owned = run.filter(role__in=roles.who_may(roles.OWN)).values("project")
    staffed = run.filter(role__in=roles.who_may(roles.PEOPLE)).values("project")
    as_member = Member.objects.filter(user=person).exclude(project__in=owned)
    return not as_member.exists() and not Worker.objects.filter(user=person).exclude(project__in=staffed).exists()
