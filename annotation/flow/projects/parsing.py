"""The one check of a project's settings, whether they come from a page, the API or a command."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.people import consent, two_factor
from annotation.flow.projects.settings import SETTINGS, ProjectSettings, stored
from annotation.flow.setting_values import InvalidSettings, fill_name, read_values
from annotation.models import Project, User
from annotation.pure.people import consent_text


def parse(data: Mapping[str, Any], *, user: User | None, project: Project | None = None) -> ProjectSettings:
    """Settings from any door, of a new project or a stored one. Raises InvalidSettings, with the problems by name.

    What is missing keeps its value. `user`: whoever asks for it.
    """
    before = vars(stored(project)) if project else {"consent": consent_text.DEFAULT}
    given = {name: value for name, value in data.items() if value != "" or SETTINGS[name].choices is None}
    asked = [one for name, one in SETTINGS.items() if project is None or name in given]
    values, problems = read_values(asked, before | given)
    values = before | values
    values["consent"] = values["consent"].replace("\r\n", "\n")
    if project is None:
        fill_name(values, problems, longest=SETTINGS["name"].length)
    elif values["name"] != project.slug:
        problems["name"] = [_("This cannot be changed.")]
    if project and values["consent"] != project.consent and (name := consent.lost(project, values["consent"])):
        counts = _("A batch under way counts pasting. Close it before you remove the paragraph that says so.")
        suggests = _("A batch under way shows suggestions. Close it before you remove the paragraph that says so.")
        problems["consent"] = [counts if name == "counts_pasting" else suggests]
    if values.get("two_factor") and not before.get("two_factor") and not (user and two_factor.is_on(user)):
        problems["two_factor"] = [_("Set up your own second factor first, on the page of your account.")]
    if problems:
        raise InvalidSettings(problems)
    return ProjectSettings(**values)
