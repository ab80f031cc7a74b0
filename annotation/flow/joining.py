"""How people come in: the first project, invites, consent, reading the guide."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.refusal import Refused
from annotation.models import Invite, Member, Project, Seat, User, Worker

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


def invite(project: Project, *, role: str, by: User | None, places: int = 1, days: int = 14, note: str = "") -> Invite:
    """A link for `places` people, good for `days` days."""
    return Invite.objects.create(
        project=project,
        role=role,
        created_by=by,
        places=places,
        note=note,
        expires_at=Now() + timedelta(days=days),
    )


def usable_invite(token: str) -> Invite | None:
    """The invite behind a link while it has places left, is not revoked and not over."""
    open_ones = Invite.objects.filter(revoked_at__isnull=True, expires_at__gt=Now(), used__lt=F("places"))
    return open_ones.select_related("project").filter(token=token).first()


@transaction.atomic
def accept_invite(invited: Invite, user: User) -> None:
    """Make the user a worker or a requester of the project. Whoever is one already uses up no place."""
    if invited.role == Invite.Role.REQUESTER:
        _member, new = Member.objects.get_or_create(project=invited.project, user=user)
    else:
        _worker, new = Worker.objects.get_or_create(project=invited.project, user=user)
    if not new:
        return
    row = Invite.objects.filter(pk=invited.pk, revoked_at__isnull=True, used__lt=F("places"))
    if not row.update(used=F("used") + 1):
        raise Refused(_("This link was used up a moment ago. Ask for a new one."))


def consent(worker: Worker, *, version: int) -> None:
    """Note that the worker accepted this version of the project's consent text."""
    Worker.objects.filter(pk=worker.pk).update(consented_version=version, consented_at=Now())


def read_guide(seat: Seat, *, version: int) -> None:
    """Note that the worker read this version of the batch's guide."""
    Seat.objects.filter(pk=seat.pk, guide_version__lt=version).update(guide_version=version)


def revoke_invite(invited: Invite) -> bool:
    """Close a link; who joined with it stays. False when it was closed before."""
    return bool(Invite.objects.filter(pk=invited.pk, revoked_at__isnull=True).update(revoked_at=Now()))


def set_active(worker: Worker, *, active: bool) -> None:
    """Let a worker take assignments, or no more. What they submitted stays either way."""
    Worker.objects.filter(pk=worker.pk).update(active=active)


def change_project(project: Project, *, title: str, consent: str) -> bool:
    """Save title and consent text; True when the consent text changed, so that workers must accept it again."""
    Project.objects.filter(pk=project.pk).update(title=title)
    other = Project.objects.filter(pk=project.pk).exclude(consent=consent)
    return bool(other.update(consent=consent, consent_version=F("consent_version") + 1))


def may_reset_password(requester: User, person: User) -> bool:
    """Whether a requester may make a link that sets a person's password.

    Such a link opens everything that the person may open, so all of it must be the requester's own already.
    """
    if person.is_staff or person.is_superuser or not person.is_active:
        return False
    theirs = Project.objects.filter(Q(members__user=person) | Q(workers__user=person))
    return not theirs.exclude(members__user=requester).exists()
