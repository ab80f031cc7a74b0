"""The audit log of a project."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.flow.projects import audit_log_table
from annotation.flow.projects.audit_log_table import LogFilter
from annotation.flow.setting_values import chosen
from annotation.models import Project
from annotation.operations.downloads import CSV, logged_download
from annotation.views.access import requester_page


@requester_page
def log(request: HttpRequest, project: Project) -> HttpResponse:
    """The log, filtered by person, action, object, batch and days."""
    wanted = chosen(LogFilter, request.GET.dict())
    page = Paginator(audit_log_table.entries(project, wanted), 50).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "log",
        "wanted": wanted,
        "narrowed": wanted != LogFilter(),
        "page": page,
        "rows": audit_log_table.display_rows(project, page),
        **audit_log_table.choices(project),
    }
    return render(request, "projects/log.html", context)


@requester_page
def log_file(request: HttpRequest, project: Project) -> HttpResponse:
    """The filtered lines as a file."""
    some = audit_log_table.as_csv(project, chosen(LogFilter, request.GET.dict()))
    return logged_download(request, project, some, name=f"{project.slug}-log.csv", kind=CSV)
