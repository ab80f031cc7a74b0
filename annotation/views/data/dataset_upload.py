"""Import of a dataset: upload a file, or name a dataset of the Hub."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation import jobs
from annotation.flow.data import hub
from annotation.flow.data.dataset_import import Unmapped, recognised
from annotation.flow.data.item_writer import ImportRefused
from annotation.flow.errors import Refused
from annotation.forms.projects import DatasetForm
from annotation.models import Project
from annotation.operations import uploads
from annotation.views.access import requester_required, require_get_or_post
from annotation.views.data import column_mapping


@require_get_or_post
@requester_required
def dataset_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Upload a file or name a dataset of the Hub, which a job imports."""
    form = DatasetForm(request.POST or None, request.FILES or None, initial=request.GET.dict())
    if request.method == "POST":
        form = DatasetForm(request.POST, request.FILES)
        if uploads.too_large(request):
            form.errors.pop("file", None)
            form.add_error("file", too_large())
        elif form.is_valid() and (address := _posted(request, project, form)):
            return HttpResponseRedirect(address, status=303)
    context = {"project": project, "section": "datasets", "form": form}
    context |= {"limit": settings.UPLOAD_LIMIT, "too_large": too_large()}
    return render(request, "data/upload.html", context, status=422 if form.errors else 200)


def too_large() -> str:
    """The error for an upload beyond the limit."""
    text = _("The file is larger than %(limit)s. Split it, or import it on the server with import_dataset.")
    return text % {"limit": filesizeformat(settings.UPLOAD_LIMIT)}


def _posted(request: HttpRequest, project: Project, form: DatasetForm) -> str:
    """The address of the job that imports the file, or of the page that maps its columns.

    "", with an error in the form, if it cannot be read.
    """
    upload, arguments = form.cleaned_data["file"], form.arguments()
    if wanted := form.hub_split():
        return _from_hub(request, project, form, arguments | {"hub": wanted})
    path = uploads.keep(upload)
    arguments |= {"path": str(path), "file_name": upload.name[:255]}
    try:
        arguments["format"] = arguments["format"] or recognised(path, upload.name, file_name=upload.name)
    except Unmapped:
        return column_mapping.address_of(project, path.name, arguments)
    except ImportRefused as refused:
        path.unlink()
        form.add_error("file", str(refused))
        return ""
    return _import_job(request, project, arguments)


def _from_hub(request: HttpRequest, project: Project, form: DatasetForm, arguments: dict[str, Any]) -> str:
    """Start the job that downloads and imports; "", with an error in the form, if the server lacks the library."""
    try:
        hub.client(anonymous=True)
    except Refused as refusal:
        form.add_error("hub", str(refusal))
        return ""
    return _import_job(request, project, arguments | {"file_name": f"hf:{arguments['hub']['repository']}"[:255]})


def _import_job(request: HttpRequest, project: Project, arguments: dict[str, Any]) -> str:
    title = _("Check %(file)s") if arguments["dry_run"] else _("Import %(file)s as %(name)s")
    title %= {"file": arguments["file_name"][:100], "name": arguments["name"]}
    job = jobs.enqueue("import_dataset", project=project, title=title, arguments=arguments, user=request.user)
    return reverse("job", args=[project.slug, job.public_id])
