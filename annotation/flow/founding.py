"""New projects: who may make one, and making it."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow import enrolling
from annotation.flow.joining import DEFAULT_CONSENT
from annotation.flow.refusal import Refused
from annotation.models import Member, Project, User
from annotation.pure import roles

TAKEN_WORDS = {"new"}  # addresses below projects/ that are no project


def may_found(user: User) -> bool:
    """Whoever runs a project already may make another one; and the administrators of the installation."""
    if user.is_superuser or user.is_staff:
        return True
    return Member.objects.filter(user=user, role__in=roles.who_may(roles.RUN)).exists()


def found(user: User, *, title: str, slug: str) -> Project:
    """A project that the user owns, with a consent text to begin from. Raises Refused for a name that is taken."""
    if slug in TAKEN_WORDS:
        raise Refused(_("This word has a page of its own. Choose another name."))
    try:
        with transaction.atomic():
            project = Project.objects.create(slug=slug, title=title, consent=DEFAULT_CONSENT)
            enrolling.enter(project, user, Member.Role.OWNER)
    except IntegrityError:
        raise Refused(_("The name %(name)s is taken by another project. Choose another.") % {"name": slug}) from None
    return project
