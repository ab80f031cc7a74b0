"""Tags of all requesters' pages: the project's sections and breadcrumbs."""

from collections.abc import Callable, Sequence
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from annotation.flow.projects.overview import OpenDecisions
from annotation.models import Batch, Project
from annotation.pure.batches import next_step as steps
from annotation.views.batches.batch_page import situation_of, situations_of
from annotation.views.breadcrumbs import IN_BAR, SECTIONS, way_to

register = template.Library()


@register.inclusion_tag("widgets/_project_nav.html", takes_context=True)
def project_nav(context: Context, project: Project, here: str) -> dict[str, Any]:
    """The sections of a project that the viewer may see; `here` is one of SECTIONS."""
    tabs = [
        {"url": reverse(page, args=[project.slug]), "label": _(label), "here": name == here}
        for name, page, label, act in SECTIONS
        if act in context.get("may", {})
    ]
    bar, more = tabs[:IN_BAR], tabs[IN_BAR:]
    more_here = any(tab["here"] for tab in more)
    return {"tabs": bar, "more": more, "more_here": more_here, "name": _("Sections of the project")}


@register.inclusion_tag("widgets/_breadcrumb.html", takes_context=True)
def breadcrumb(context: Context) -> dict[str, Any]:
    """The breadcrumbs from the project's home (annotation/views/breadcrumbs.py)."""
    found = context["request"].resolver_match
    route = found.url_name if found else ""
    return {"breadcrumbs": way_to(context.flatten(), route=route, may=context.get("may", {}))}


# by next step: why, and the label of its button for a number
NEXT_STEPS: dict[str, tuple[str, Callable[[int], str]]] = {
    "resume": (gettext_noop("Workers get no new HITs."), lambda n: _("Resume")),
    "invite": (
        gettext_noop("HITs stay incomplete until more workers join."),
        lambda n: ngettext("Invite %(n)s worker", "Invite %(n)s workers", n),
    ),
    "problem_reports": (
        gettext_noop("Workers reported problems."),
        lambda n: ngettext("Look at %(n)s problem", "Look at %(n)s problems", n),
    ),
    "review": (gettext_noop("Responses wait for review."), lambda n: _("Review %(n)s")),
    "approvals": (gettext_noop("Responses wait for approval."), lambda n: _("Approve %(n)s")),
    "adjudicate": (gettext_noop("Workers disagree."), lambda n: _("Adjudicate %(n)s")),
    "gold": (
        gettext_noop("Workers contradict the gold."),
        lambda n: ngettext("Check the gold of %(n)s item", "Check the gold of %(n)s items", n),
    ),
    "close": (gettext_noop("No open HITs are left."), lambda n: _("Close…")),
    "create_dataset": (gettext_noop("The batch is closed."), lambda n: _("Create a dataset…")),
}
DIALOGS = {"close": "close-box", "create_dataset": "dataset-box"}
PAGES = {"problem_reports": "problem-reports", "review": "review", "adjudicate": "adjudicate", "gold": "gold"}


@register.inclusion_tag("batches/_next_step.html", takes_context=True)
def next_step(context: Context, batch: Batch, waiting: dict[str, int]) -> dict[str, Any]:
    """What to do next with a launched batch: a sentence and a button, by what the viewer may do.

    The button stands out on the overview only, because other pages of the batch have a primary action of their own.
    """
    may = frozenset(context.get("may", {}))
    step, n = steps.next_step(situation_of(batch, waiting), may)
    request = context["request"]
    if not step:
        is_due = batch.state == Batch.State.OPEN and request.resolver_match.url_name == "batch"
        return {"text": _("Workers find it under “Your work”. Responses appear here as they come.")} if is_due else {}
    text, label = NEXT_STEPS[step]
    shown = {"text": _(text), "label": label(n) % {"n": n}, "primary": request.resolver_match.url_name == "batch"}
    if step in DIALOGS:
        return shown | {"dialog": DIALOGS[step]}
    if step == "resume":
        return shown | {"post": reverse("batch-move", args=[batch.project.slug, batch.slug, "resume"])}
    url = _page_of(step, n, batch)
    return {} if url == request.path else shown | {"url": url}


@register.inclusion_tag("batches/_next_step.html", takes_context=True)
def project_next_step(
    context: Context, project: Project, rows: Sequence[dict[str, Any]], waiting: Sequence[OpenDecisions]
) -> dict[str, Any]:
    """What to do next in a project: the most pressing next step of its batches, `rows` of the home."""
    batches = [row["batch"] for row in rows]
    situations = situations_of(project, batches, waiting)
    position, step, n = steps.first_step(situations, frozenset(context.get("may", {})))
    if not step:
        return {"text": _("Nothing waits for you now.")}
    batch = batches[position]
    why, label = NEXT_STEPS[step]
    text = _("“%(batch)s”: %(why)s") % {"batch": batch.title, "why": _(why)}
    return {"text": text, "label": label(n) % {"n": n}, "primary": True, "url": _page_of(step, n, batch)}


def _page_of(step: str, n: int, batch: Batch) -> str:
    """The URL of the page where the step is taken; the batch's own if it is one of its buttons."""
    args = [batch.project.slug, batch.slug]
    if step == "invite":
        return f"{reverse('people', args=args[:1])}?places={n}#links"
    if step == "approvals":
        return f"{reverse('approvals', args=args[:1])}?{urlencode({'batch': batch.slug})}"
    return reverse(PAGES.get(step, "batch"), args=args)


@register.filter
def open_to(tabs: list[dict[str, Any]], may: dict[str, bool]) -> list[dict[str, Any]]:
    """The tabs that the viewer may see by their `act`."""
    return [tab for tab in tabs if not tab.get("act") or tab["act"] in may]
