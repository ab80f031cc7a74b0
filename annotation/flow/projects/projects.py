"""Creating projects, who may, and changing their settings."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.people import members
from annotation.flow.projects import audit_log
from annotation.models import Member, Project, User
from annotation.pure.people import consent_text, roles

TAKEN_WORDS = {"new"}  # they would be confused with URLs below projects/


def may_create_project(user: User) -> bool:
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
            members.add_member(project, user, Member.Role.OWNER)
    except IntegrityError:
        text = _("The name %(name)s is taken by another project. Choose another name.")
        raise Refused(text % {"name": slug}) from None
    return project


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
def change_project(project: Project, *, consent: str, **columns: Any) -> bool:
    """Save the consent text and other `columns`; True if the text changed, so that workers must accept it again."""
    Project.objects.filter(pk=project.pk).update(**columns)
    other = Project.objects.filter(pk=project.pk).exclude(consent=consent)
    changed = bool(other.update(consent=consent, consent_version=F("consent_version") + 1))
    audit_log.record("settings changed", project, consent_changed=changed)
    return changed
