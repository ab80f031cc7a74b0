"""Search in a project: a page, and a fragment for the search dialog."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation import discovery
from annotation.flow.projects import project_search
from annotation.flow.projects.project_search import SearchResult
from annotation.models import Project
from annotation.pure.people import roles
from annotation.templatetags.language_tags import in_language
from annotation.views.access import Request, member_page

# kinds in the order in which they are shown: (page, heading)
KINDS = {
    "batch": ("batch", gettext_noop("Batches")),
    "round": ("batch", gettext_noop("Qualification rounds")),
    "dataset": ("dataset", gettext_noop("Datasets")),
    "worker": ("annotator", gettext_noop("Workers")),
    "qualification": ("qualification", gettext_noop("Qualifications")),
    "hit": ("hit", gettext_noop("HITs")),
    "assignment": ("hit", gettext_noop("Assignments")),
    "item": ("item", gettext_noop("Items")),
    "project": ("project", gettext_noop("Other projects")),
}
# pages of a project: (required permission, URL name, label, search synonyms)
PAGES = [
    (roles.SEE, "project", gettext_noop("Overview"), "home start"),
    (roles.SEE, "datasets", gettext_noop("Datasets"), "data"),
    (roles.RUN, "dataset-new", gettext_noop("Import a dataset"), "upload file"),
    (roles.SEE, "batches", gettext_noop("Batches"), "work"),
    (roles.RUN, "batch-new", gettext_noop("New batch"), "launch make"),
    (roles.RUN, "round-new", gettext_noop("New qualification round"), "qualify test"),
    (roles.PEOPLE, "people", gettext_noop("People"), "annotators workers requesters invite members"),
    (roles.PEOPLE, "hours", gettext_noop("Hours"), "time sheet"),
    (roles.PEOPLE, "messages", gettext_noop("Messages"), "letters mail messages"),
    (roles.PEOPLE, "qualifications", gettext_noop("Qualifications"), "types tests"),
    (roles.PAY, "approvals", gettext_noop("Approvals"), "approve reject pay"),
    (roles.PAY, "money", gettext_noop("Money"), "budget wages payouts"),
    (roles.PAY, "money-ledger", gettext_noop("Ledger"), "entries accounts"),
    (roles.RUN, "log", gettext_noop("Log"), "audit history who"),
    (roles.RUN, "bin", gettext_noop("Bin"), "removed deleted restore"),
    (roles.OWN, "project-settings", gettext_noop("Settings"), "consent title"),
]


@member_page(roles.SEE)
def search(request: Request, project: Project) -> HttpResponse:
    """Results for `q`, by kind; for htmx only the list."""
    text = request.GET.get("q", "").replace("\0", "")[: project_search.LONGEST]
    found = project_search.search(project, text, user=request.user, may=request.may)
    groups = [_group(project, kind, found[kind]) for kind in KINDS if kind in found]
    pages = [{"label": label, "note": "", "url": url} for label, url in _pages(project, text, request.may)]
    if pages:
        groups.insert(0, {"title": _("Pages"), "rows": pages})
    context = {"project": project, "section": "", "breadcrumbs": [{"label": _("Search"), "url": ""}]}
    context |= {"q": text, "groups": groups, "most": project_search.MOST}
    return render(request, "projects/_search_results.html" if request.htmx else "projects/search.html", context)


def _group(project: Project, kind: str, rows: list[SearchResult]) -> dict[str, Any]:
    page, title = KINDS[kind]
    first = [] if kind == "project" else [project.slug]
    links = [
        {"label": in_language(r.label), "note": r.note, "url": reverse(page, args=[*first, *r.place])} for r in rows
    ]
    return {"title": _(title), "rows": links}


def _pages(project: Project, text: str, may: frozenset[str]) -> list[tuple[str, str]]:
    """(label, URL) of the project's pages that the viewer may open and whose name contains all words of `text`."""
    words, found = text.casefold().split(), []
    of_apps = [*discovery.listed("SETTINGS"), *discovery.listed("BATCHES")]
    for act, page, label, also, *_shown in [*PAGES, *of_apps]:
        label = _(str(label))
        called = f"{label} {also}".casefold()
        if act in may and all(word in called for word in words):
            found.append((label, reverse(page, args=[project.slug])))
    if roles.RUN in may and all(word in _("New project").casefold() for word in words):
        found.append((_("New project"), reverse("project-new")))
    return found[: project_search.MOST] if words else found
