"""Making a dataset of a batch's verdicts."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation import jobs
from annotation.console_forms import GatherForm
from annotation.models import Project
from annotation.views.access import requester_required
from annotation.views.batch_page import batch_of
from annotation.views.seeing import see


@require_POST
@requester_required
def batch_gather(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Have a job make the dataset of the wished name; a name that cannot be one is said on the batch's page."""
    gathered = batch_of(project, batch)
    form = GatherForm(request.POST)
    if not form.is_valid():
        for error in form.errors.get("name", []):
            messages.error(request, _("Name of the dataset: %(error)s") % {"error": error})
        for error in form.errors.get("least", []):
            messages.error(request, _("Answers that agree: %(error)s") % {"error": error})
        return see("batch", project.slug, gathered.slug)
    name, least = form.cleaned_data["name"], form.cleaned_data["least"] or 0
    job = jobs.enqueue_once(
        "gather_dataset",
        project=project,
        title=_("Make %(name)s of the verdicts of %(batch)s") % {"name": name, "batch": gathered.title},
        arguments={"batch": gathered.pk, "name": name} | ({"least": least} if least else {}),
        user=request.user,
    )
    return see("job", project.slug, job.public_id)
