"""Requesters as commands name them: by account, with the project that they act in; and the first invite."""

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models.functions import Now
from django.utils.text import slugify
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import members
from annotation.flow.projects.projects import create_project, project_named
from annotation.flow.projects.settings import ProjectSettings
from annotation.models import Invite, Member, Project, User
from annotation.pure.people import consent_text


@dataclass(frozen=True, slots=True)
class Requester:
    """A requester with a project. `new_project`: whether it was just created."""

    user: User
    project: Project
    new_project: bool


@transaction.atomic
def requester(email: str, *, create: bool = False, slug: str | None = None) -> Requester:
    """The requester of that email or login name, with the project that they act as.

    `create` creates what is missing: the account (without a password), the project or the membership. Without a `slug`
    it is their only project. Raises Refused.
    """
    user = account(email)
    if user is None and not create:
        raise Refused(_("There is no account %(email)s. Use --create to make one.") % {"email": email})
    user = user or _new_account(email)
    return Requester(user, _named(user, slug, create), False) if slug else Requester(user, *_own_project(user, create))


def account(name: str) -> User | None:
    """The account of that login name, or the only one of that email. Raises Refused if several have it."""
    if found := User.objects.named(name):
        return found
    first, *others = User.objects.filter(email__iexact=name)[:2] or [None]
    if others:
        raise Refused(_("Several accounts have the email %(email)s. Give the login name.") % {"email": name})
    return first


def _new_account(email: str) -> User:
    user = User(username=email, email=email if "@" in email else "")
    user.set_unusable_password()
    try:
        user.full_clean(exclude=["password", "shortcuts", "muted"])
    except ValidationError as invalid:
        raise Refused(" ".join(invalid.messages)) from None
    user.save()
    return user


def _named(user: User, slug: str, create: bool) -> Project:
    project = project_named(slug)
    if create:
        members.add_member(project, user, Member.Role.REQUESTER)
    elif not project.members.filter(user=user).exists():
        text = _("%(user)s is not a requester of the project %(slug)s. Use --create to make them one.")
        raise Refused(text % {"user": user, "slug": slug})
    return project


def _own_project(user: User, create: bool) -> tuple[Project, bool]:
    projects = list(Project.objects.filter(members__user=user).order_by("slug"))
    if len(projects) > 1:
        text = _("%(user)s is a requester of several projects. Choose one with --project: %(known)s.")
        raise Refused(text % {"user": user, "known": ", ".join(project.slug for project in projects)})
    if projects:
        return projects[0], False
    if not create:
        raise Refused(_("%(user)s is not a requester of any project. Use --create to make a project.") % {"user": user})
    title, slug = _("Project of %(user)s") % {"user": user}, _free_slug(user.username)
    # a requester who only uses the MTurk API sees no launch page, and asks for consent in their own HITs
    consent = consent_text.without_ethics(
        consent_text.filled(consent_text.DEFAULT, contact=user.email or user.username, ethics="")
    )
    settings = ProjectSettings(name=slug, title=title, consent=consent, sign_up=Project.SignUp.ANY_ACCOUNT)
    return create_project(user, settings), True


def _free_slug(name: str) -> str:
    """A free slug made from somebody's login name."""
    plain = slugify(name.replace("@", "-at-").replace(".", "-"))[:40].strip("-") or "project"
    slug, number = plain, 1
    while Project.everything.filter(slug=slug).exists():
        number += 1
        slug = f"{plain}-{number}"
    return slug


@transaction.atomic
def first_invite() -> Invite | None:
    """The link by which a new installation gets its first account, an owner's; None once anybody has one."""
    if User.objects.exists():
        return None
    project = project_named()
    made = project.invites.filter(role=Invite.Role.OWNER, created_by=None, used=0, expires_at__gt=Now()).first()
    return made or members.invite(project, role=Invite.Role.OWNER, by=None, note=_("First account"))
