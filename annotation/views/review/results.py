"""A batch's results: files of responses, importing them, and creating a dataset."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation import jobs
from annotation.flow.errors import Refused
from annotation.flow.review import gold_looks, result_files, results_dataset
from annotation.forms.projects import ResultsDatasetForm
from annotation.models import Batch, Project
from annotation.operations import uploads
from annotation.operations.downloads import logged_download
from annotation.pure.people import roles
from annotation.templatetags.language_tags import in_language
from annotation.views.access import Request, member_page, requester_action
from annotation.views.post_handling import enqueue_and_redirect, refusal_as_message, see_other


@member_page(roles.SEE)
def batch_export(request: Request, project: Project, batch: Batch, format: str) -> HttpResponseBase:
    """Every revision of every response as a file; with `?ids_only=1` without the items' content, `?long=1` by value.

    As `qrels` the ratings of passages that they add up to.
    """
    if format not in result_files.MEDIA:
        raise Http404
    with refusal_as_message(request):
        gold_looks.look_at_all(batch, request.user)
        what = {name: bool(request.GET.get(name)) for name in ("ids_only", "long")}
        blocks = result_files.stream(batch, format, **what)
        name = f"{batch.slug}-{'ratings' if what['long'] else 'responses'}.{format}"
        return logged_download(request, batch, blocks, name=name, kind=result_files.MEDIA[format])
    return see_other("batch", project.slug, batch.slug)


@requester_action
def batch_responses(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Upload responses collected elsewhere; a job imports them, all or nothing."""
    upload = request.FILES.get("file")
    if upload is None or uploads.too_large(request):
        messages.error(request, _("Choose a file of responses within the size limit, then send it again."))
        return see_other("batch", project.slug, batch.slug)
    name = (upload.name or "")[:100]
    title = _("Import responses from %(file)s into %(batch)s") % {"file": name, "batch": in_language(batch.title)}
    arguments = {"batch": batch.pk, "path": str(uploads.keep(upload)), "name": name}
    job = jobs.enqueue("import_responses", project=project, title=title, arguments=arguments, user=request.user)
    return see_other("job", project.slug, job.public_id)


@requester_action
def create_results_dataset(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Start the job that creates the dataset; an invalid name is shown as an error on the batch's page."""
    form = ResultsDatasetForm(request.POST)
    if not form.is_valid():
        add_errors(request, form)
        return see_other("batch", project.slug, batch.slug)
    name = form.cleaned_data["name"]
    try:
        results_dataset.selector_of(batch, form.cleaned_data["keep"])
    except Refused as refused:
        messages.error(request, str(refused))
        return see_other("batch", project.slug, batch.slug)
    title = _("Create %(name)s from the results of %(batch)s") % {"name": name, "batch": in_language(batch.title)}
    arguments = {"batch": batch.pk} | {key: value for key, value in form.cleaned_data.items() if value}
    return enqueue_and_redirect(request, "create_results_dataset", title, arguments, project=project)


@member_page(roles.SEE)
def results_preview(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """How many items `?keep=` would keep, as a fragment, or what is wrong with it."""
    keep = request.GET.get("keep", "").replace("\0", "")[:1000].strip()
    context: dict[str, Any] = {"keep": keep, "most": results_dataset.FORESEEN}
    try:
        context |= results_dataset.kept_of(batch, keep) if keep else {}
    except Refused as refused:
        context["problem"] = str(refused)
    return render(request, "review/_kept.html", context)


def add_errors(request: Request, form: ResultsDatasetForm) -> None:
    """Add the form's errors to the messages, for pages that show the form without them."""
    for error in form.errors.get("name", []):
        messages.error(request, _("Name of the dataset: %(error)s") % {"error": error})
    for error in form.errors.get("least", []):
        messages.error(request, _("Minimum number of agreeing responses: %(error)s") % {"error": error})
