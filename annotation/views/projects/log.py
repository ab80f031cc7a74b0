"""The audit log of a project."""

from datetime import date

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date

from annotation.flow.projects import audit_log_table
from annotation.flow.projects.audit_log_table import LogQuery
from annotation.models import Project
from annotation.operations.downloads import CSV, logged_download
from annotation.views.access import requester_page


@requester_page
def log(request: HttpRequest, project: Project) -> HttpResponse:
    """The log, filtered by person, action, object, batch and days."""
    wanted = _wanted(request)
    page = Paginator(audit_log_table.entries(project, wanted), 50).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "log",
        "wanted": wanted,
        "narrowed": wanted != LogQuery(),
        "page": page,
        "rows": audit_log_table.display_rows(project, page),
        **audit_log_table.choices(project),
    }
    return render(request, "projects/log.html", context)


@requester_page
def log_file(request: HttpRequest, project: Project) -> HttpResponse:
    """The filtered lines as a file."""
    some = audit_log_table.as_csv(project, _wanted(request))
    return logged_download(request, project, some, name=f"{project.slug}-log.csv", kind=CSV)


def _wanted(request: HttpRequest) -> LogQuery:
    """The filters of the query string; invalid ones are ignored."""
    names = ("person", "act", "kind", "batch")
    texts = {name: request.GET.get(name, "").replace("\0", "")[:100] for name in names}
    return LogQuery(**texts, since=_day(request, "since"), until=_day(request, "until"))


def _day(request: HttpRequest, name: str) -> date | None:
    try:
        found = parse_date(request.GET.get(name, "")[:10])
    except ValueError:
        return None
    return found if found and 1970 < found.year < 9999 else None
