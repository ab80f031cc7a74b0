"""Redirects after POST."""

from typing import Any

from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from annotation import jobs
from annotation.models import Project


def see(page: str, *args: Any) -> HttpResponseRedirect:
    """303 to the page of that name, so that reloading does not post again."""
    return HttpResponseRedirect(reverse(page, args=args), status=303)


def see_job(
    request: HttpRequest, kind: str, title: str, arguments: dict[str, Any], *, project: Project
) -> HttpResponseRedirect:
    """Start a job, unless the same one waits or runs, and redirect to its page."""
    job = jobs.enqueue_once(kind, project=project, title=title, arguments=arguments, user=request.user)
    return see("job", project.slug, job.public_id)
