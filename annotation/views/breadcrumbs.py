"""Breadcrumbs of requesters' pages: project, section, pages in between, the page itself."""

from collections.abc import Callable, Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import Project
from annotation.pure.people import roles
from annotation.templatetags.language_tags import in_language

# sections of a project: (`section` in a page's context, URL name, label, required permission); the first IN_BAR of
# those that a viewer may see stand in the navigation bar, the others in its menu
IN_BAR = 5
SECTIONS = [
    ("overview", "project", gettext_noop("Overview"), roles.SEE),
    ("datasets", "datasets", gettext_noop("Datasets"), roles.SEE),
    ("batches", "batches", gettext_noop("Batches"), roles.SEE),
    ("people", "people", gettext_noop("People"), roles.PEOPLE),
    ("money", "money", gettext_noop("Money"), roles.PAY),
    ("compare", "compare", gettext_noop("Compare"), roles.SEE),
    ("qualifications", "qualifications", gettext_noop("Qualifications"), roles.PEOPLE),
    ("approvals", "approvals", gettext_noop("Approvals"), roles.PAY),
    ("log", "log", gettext_noop("Log"), roles.RUN),
    ("settings", "project-settings", gettext_noop("Settings"), roles.OWN),
]

Shown = Mapping[Any, Any]  # a page's context
Crumb = dict[str, str]
# labels of pages below a section's own without `breadcrumbs` in their context
LEAVES: dict[str, Callable[[Shown], str]] = {
    "dataset-new": lambda page: _("Import"),
    "dataset-columns": lambda page: _("Import"),
    "dataset": lambda page: page["dataset"].slug,
    "item": lambda page: _("Item %(n)s of %(all)s") % {"n": page["item"].position + 1, "all": page["dataset"].size},
    "dataset-derive": lambda page: page.get("title") or _("Derive"),
    "job": lambda page: page["job"].title,
    "hours": lambda page: _("Hours"),
    "messages": lambda page: _("Messages"),
    "thread": lambda page: _("Messages about an assignment"),
    "annotator": lambda page: page["worker"].pseudonym,
    "worker-messages": lambda page: _("Messages"),
    "worker-erase": lambda page: _("Erase"),
    "password-link": lambda page: _("New password"),
    "approval": lambda page: _("One response"),
    "approvals-decide": lambda page: _("Decide on several"),
    "money-move": lambda page: _("Budget"),
    "access-keys": lambda page: _("Access keys"),
    "tokens": lambda page: _("API tokens"),
    "bin": lambda page: _("Bin"),
    "project-remove": lambda page: _("Delete"),
}
BELOW_A_DATASET = {"item", "dataset-derive"}
BELOW_A_WORKER = {"worker-messages", "worker-erase"}


def section_breadcrumbs(project: Project, section: str, label: str) -> list[Crumb]:
    """The crumbs of a page below a section."""
    [(address, title)] = [(address, title) for name, address, title, _act in SECTIONS if name == section]
    return [{"label": _(title), "url": reverse(address, args=[project.slug])}, {"label": label, "url": ""}]


def way_to(page: Shown, *, route: str, may: Mapping[str, bool]) -> list[Crumb]:
    """The crumbs above a page of a project; the last one is the page, without a URL. The home has none."""
    project: Project = page["project"]
    given: list[Crumb] = list(page.get("breadcrumbs") or [])
    if route == "project":
        return []
    way = [{"label": in_language(project.title), "url": reverse("project", args=[project.slug])}]
    if given:
        return [*way, *given]
    for section, name, label, act in SECTIONS:
        if section == page.get("section") and section != "overview":
            url = "" if route == name or act not in may else reverse(name, args=[project.slug])
            way.append({"label": _(label), "url": url})
    way += _between(project, page, route)
    return [*way, {"label": LEAVES[route](page), "url": ""}] if route in LEAVES else way


def _between(project: Project, page: Shown, route: str) -> list[Crumb]:
    """The dataset or worker that this page belongs to."""
    if route in BELOW_A_DATASET:
        name = page["dataset"].slug
        way = [{"label": name, "url": reverse("dataset", args=[project.slug, name])}]
        if route == "dataset-derive" and page.get("title"):
            way.append({"label": _("Derive"), "url": reverse(route, args=[project.slug, name])})
        return way
    if route in BELOW_A_WORKER:
        worker = page["worker"]
        return [{"label": worker.pseudonym, "url": reverse("annotator", args=[project.slug, worker.pk])}]
    return []
