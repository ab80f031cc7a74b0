"""Creating projects, who may, and changing their settings."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.people import members
from annotation.flow.projects import audit_log
from annotation.flow.projects.settings import ProjectSettings
from annotation.flow.setting_values import InvalidSettings
from annotation.models import Member, Project, User
from annotation.pure.people import consent_text, roles

LOGGED = {"wage_floor", "fees"}  # settings whose new values the log states


def may_create_project(user: User) -> bool:
    """Whether the user may create a project: members of any project, and administrators."""
    if user.is_superuser or user.is_staff:
        return True
    return Member.objects.filter(user=user, role__in=roles.who_may(roles.RUN)).exists()


def create_project(user: User, settings: ProjectSettings) -> Project:
    """Create a project owned by the user. Raises Refused for a name that is taken."""
    try:
        with transaction.atomic():
            project = Project.objects.create(**settings.columns())
            members.add_member(project, user, Member.Role.OWNER)
    except IntegrityError:  # the constraint decides, because two may take the name at the same moment
        text = _("The name %(name)s is taken by another project. Choose another name.")
        raise Refused(text % {"name": settings.name}) from None
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
def change_project(project: Project, settings: ProjectSettings) -> bool:
    """Store changed settings; True if the consent text is another, so that workers must accept it again.

    Raises InvalidSettings for other fees while money is set aside with the present ones.
    """
    changes = {name: value for name, value in settings.columns().items() if value != getattr(project, name)}
    rows, text = Project.objects.filter(pk=project.pk), changes.pop("consent", None)
    rows.update(**changes)
    if "fees" in changes:
        _check_holds(project)
    other = rows.exclude(consent=text)
    again = text is not None and bool(other.update(consent=text, consent_version=F("consent_version") + 1))
    logged = {name: value for name, value in changes.items() if name in LOGGED}
    about: dict[str, Any] = {name: None if value is None else str(value) for name, value in logged.items()}
    if again or not about:
        about["consent_changed"] = again
    audit_log.record("settings changed", project, **about)
    project.refresh_from_db()
    return again


def _check_holds(project: Project) -> None:
    ledger.lock(project)  # nothing is set aside until the new fees are stored
    if ledger.held_in_all(project):
        text = _("Money is set aside for batches with the present fees. Change them once none is.")
        raise InvalidSettings({"fees": [text]})
