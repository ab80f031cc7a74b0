"""What every requester page shows besides its own matter: the project's sections."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from annotation.models import Project

register = template.Library()


@register.inclusion_tag("widgets/_tabs.html")
def project_tabs(project: Project, here: str) -> dict[str, Any]:
    """The sections of a project; `here` is overview, datasets, batches, people or settings."""
    places = [
        ("overview", "project", _("Overview")),
        ("datasets", "datasets", _("Datasets")),
        ("batches", "batches", _("Batches")),
        ("people", "people", _("People")),
        ("settings", "project-settings", _("Settings")),
    ]
    tabs = [
        {"url": url, "label": label, "here": name == here, "count": None}
        for name, page, label in places
        if (url := _address(page, project))
    ]
    return {"tabs": tabs, "name": _("Sections of the project")}


def _address(page: str, project: Project) -> str:
    try:
        return reverse(page, args=[project.slug])
    except NoReverseMatch:
        return ""
