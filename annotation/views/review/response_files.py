"""Export and import of a batch's responses."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation import jobs
from annotation.flow.data import dataset_files
from annotation.models import Project
from annotation.operations import uploads
from annotation.operations.downloads import sent
from annotation.pure.people import roles
from annotation.views.access import member_page, requester_action
from annotation.views.batches.batch_page import EXPORTS, batch_of
from annotation.views.redirects import see


@member_page(roles.SEE)
def batch_export(request: HttpRequest, project: Project, batch: str, format: str) -> HttpResponse:
    """Every revision of every response as a file; with `?ids_only=1` without the items' content."""
    exported = batch_of(project, batch)
    if format not in dict(EXPORTS):
        raise Http404
    blocks = dataset_files.stream_responses(exported, format, ids_only=bool(request.GET.get("ids_only")))
    name = f"{exported.slug}-responses.{format}"
    return sent(request, exported, blocks, name=name, kind=dataset_files.MEDIA[format])


@requester_action
def batch_responses(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Upload responses collected elsewhere; a job imports them, all or nothing."""
    judged = batch_of(project, batch)
    upload = request.FILES.get("file")
    if upload is None or uploads.too_large(request):
        messages.error(request, _("Choose a file of responses within the size limit, then send it again."))
        return see("batch", project.slug, judged.slug)
    title = _("Import responses from %(file)s into %(batch)s") % {"file": upload.name[:100], "batch": judged.title}
    arguments = {"batch": judged.pk, "path": str(uploads.keep(upload)), "name": upload.name[:100]}
    job = jobs.enqueue("import_responses", project=project, title=title, arguments=arguments, user=request.user)
    return see("job", project.slug, job.public_id)
