"""Tags of all requesters' pages: the project's sections and breadcrumbs."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.pure.batches.next_step import KINDS, NextStep
from annotation.views import next_steps
from annotation.views.breadcrumbs import IN_BAR, SECTIONS, way_to

register = template.Library()


@register.inclusion_tag("widgets/_project_nav.html", takes_context=True)
def project_nav(context: Context, project: Project, here: str) -> dict[str, Any]:
    """The sections of a project that the viewer may see; `here` is one of SECTIONS."""
    tabs = [
        {"url": reverse(page, args=[project.slug]), "label": _(label), "here": name == here}
        for name, page, label, act in SECTIONS
        if act in (context.get("may") or {})
    ]
    bar, more = tabs[:IN_BAR], tabs[IN_BAR:]
    more_here = any(tab["here"] for tab in more)
    return {"tabs": bar, "more": more, "more_here": more_here, "name": _("Sections of the project")}


@register.inclusion_tag("widgets/_breadcrumb.html", takes_context=True)
def breadcrumb(context: Context) -> dict[str, Any]:
    """The breadcrumbs from the project's home (annotation/views/breadcrumbs.py)."""
    found = context["request"].resolver_match
    route = found.url_name if found else ""
    return {"breadcrumbs": way_to(context.flatten(), route=route, may=context.get("may") or {})}


@register.simple_tag(takes_context=True)
def steps_in_words(context: Context, project: Project, steps: Iterable[NextStep]) -> list[dict[str, Any]]:
    """What waits, as far as the viewer may do it, most urgent first (annotation/views/next_steps.py)."""
    return next_steps.shown(project, steps, context.get("may") or {})


@register.simple_tag(takes_context=True)
def first_step(context: Context, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The first of the steps that is not this page itself; without a label if there is none.

    Its button stands out where no other does: on the overview and the list of decisions.
    """
    found = context["request"].resolver_match.url_name
    path = context["request"].path
    others = (row for row in rows if row["post"] or row["dialog"] or row["url"].partition("?")[0] != path)
    return next(others, {}) | {"primary": found in {"batch", "batch-decide"}}


@register.filter
def open_to(tabs: list[dict[str, Any]], may: dict[str, bool]) -> list[dict[str, Any]]:
    """The tabs that the viewer may see by their `act`, with the number of what they may decide there."""
    mine = [tab for tab in tabs if not tab.get("act") or tab["act"] in may]
    return [
        tab | {"count": tab["count"] or sum(n for kind, n in tab["counts"].items() if KINDS[kind] in may) or None}
        for tab in mine
    ]
