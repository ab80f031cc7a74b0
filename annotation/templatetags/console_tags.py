"""Tags of all requesters' pages: the project's sections and breadcrumbs."""

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.views.breadcrumbs import SECTIONS, way_to

register = template.Library()


@register.inclusion_tag("widgets/_tabs.html", takes_context=True)
def project_tabs(context: Context, project: Project, here: str) -> dict[str, Any]:
    """The sections of a project that the viewer may see; `here` is one of SECTIONS."""
    tabs = [
        {"url": reverse(page, args=[project.slug]), "label": _(label), "here": name == here, "count": None}
        for name, page, label, act in SECTIONS
        if act in context.get("may", {})
    ]
    return {"tabs": tabs, "name": _("Sections of the project")}


@register.inclusion_tag("widgets/_breadcrumb.html", takes_context=True)
def breadcrumb(context: Context) -> dict[str, Any]:
    """The breadcrumbs from the project's home (annotation/views/breadcrumbs.py)."""
    found = context["request"].resolver_match
    route = found.url_name if found else ""
    return {"breadcrumbs": way_to(context.flatten(), route=route, may=context.get("may", {}))}


@register.filter
def open_to(tabs: list[dict[str, Any]], may: dict[str, bool]) -> list[dict[str, Any]]:
    """The tabs that the viewer may see by their `act`."""
    return [tab for tab in tabs if not tab.get("act") or tab["act"] in may]
