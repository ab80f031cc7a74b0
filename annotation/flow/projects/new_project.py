"""Creating projects, and who may."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import members
from annotation.models import Member, Project, User
from annotation.pure.people import consent_text, roles

TAKEN_WORDS = {"new"}  # they would be confused with URLs below projects/


def may_found(user: User) -> bool:
    """Whether the user may create a project: members of any project, and administrators."""
    if user.is_superuser or user.is_staff:
        return True
    return Member.objects.filter(user=user, role__in=roles.who_may(roles.RUN)).exists()


def create(user: User, *, title: str, slug: str) -> Project:
    """Create a project owned by the user, its consent text to be filled in. Raises Refused for a name that is taken."""
    if slug in TAKEN_WORDS:
        raise Refused(_("This name is reserved. Choose another name."))
    try:
        with transaction.atomic():
            project = Project.objects.create(slug=slug, title=title, consent=consent_text.DEFAULT)
            members.enter(project, user, Member.Role.OWNER)
    except IntegrityError:
        text = _("The name %(name)s is taken by another project. Choose another name.")
        raise Refused(text % {"name": slug}) from None
    return project
