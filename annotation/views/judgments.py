"""Judgments as files: out of a batch, and into it where they were collected elsewhere."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import jobs, uploads
from annotation.downloads import sent
from annotation.flow import exporting
from annotation.models import Project
from annotation.pure import roles
from annotation.views.access import member_required, requester_required
from annotation.views.batch_page import EXPORTS, batch_of
from annotation.views.seeing import see


@never_cache
@require_safe
@member_required(roles.SEE)
def batch_export(request: HttpRequest, project: Project, batch: str, format: str) -> HttpResponse:
    """Every revision of every answer as a file; with `?ids_only=1` without what items say."""
    exported = batch_of(project, batch)
    if format not in dict(EXPORTS):
        raise Http404
    blocks = exporting.stream_judgments(exported, format, ids_only=bool(request.GET.get("ids_only")))
    name = f"{exported.slug}-judgments.{format}"
    return sent(request, exported, blocks, name=name, kind=exporting.MEDIA[format])


@require_POST
@requester_required
def batch_judgments(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Take a file of judgments collected elsewhere; a job reads it, all or nothing."""
    judged = batch_of(project, batch)
    upload = request.FILES.get("file")
    if upload is None or uploads.too_large(request):
        messages.error(request, _("Choose a file of judgments that is not too large, then send it again."))
        return see("batch", project.slug, judged.slug)
    title = _("Read judgments of %(file)s into %(batch)s") % {"file": upload.name[:100], "batch": judged.title}
    arguments = {"batch": judged.pk, "path": str(uploads.keep(upload)), "name": upload.name[:100]}
    job = jobs.enqueue("import_judgments", project=project, title=title, arguments=arguments, user=request.user)
    return see("job", project.slug, job.public_id)
