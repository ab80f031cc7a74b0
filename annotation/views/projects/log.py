"""The audit log of a project."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from annotation.flow.projects import audit_log_table
from annotation.forms.setting_fields import FilterForm
from annotation.models import Project
from annotation.operations.downloads import CSV, logged_download
from annotation.views.access import requester_page


@requester_page
def log(request: HttpRequest, project: Project) -> HttpResponse:
    """The log, filtered by person, action, object, batch and days."""
    wanted = audit_log_table.LogFilter.of(request.GET)
    page = wanted.page(audit_log_table.entries(project, wanted), request.GET)
    context = {
        "project": project,
        "section": "log",
        "filters": FilterForm(wanted, **audit_log_table.choices(project)),
        "page": page,
        "rows": audit_log_table.display_rows(project, page),
    }
    return render(request, "projects/log.html", context)


@requester_page
def log_file(request: HttpRequest, project: Project) -> HttpResponseBase:
    """The filtered lines as a file."""
    some = audit_log_table.as_csv(project, audit_log_table.LogFilter.of(request.GET))
    return logged_download(request, project, some, name=f"{project.slug}-log.csv", kind=CSV)
