"""Creating a dataset from the results of a batch."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from annotation.forms.projects import ResultsDatasetForm
from annotation.models import Project
from annotation.views.access import requester_action
from annotation.views.batches.batch_page import batch_of
from annotation.views.redirects import see, see_job


@requester_action
def create_results_dataset(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Start the job that creates the dataset; an invalid name is shown as an error on the batch's page."""
    batch_row = batch_of(project, batch)
    form = ResultsDatasetForm(request.POST)
    if not form.is_valid():
        add_errors(request, form)
        return see("batch", project.slug, batch_row.slug)
    name, least = form.cleaned_data["name"], form.cleaned_data["least"] or 0
    title = _("Create %(name)s from the results of %(batch)s") % {"name": name, "batch": batch_row.title}
    arguments = {"batch": batch_row.pk, "name": name} | ({"least": least} if least else {})
    return see_job(request, "create_results_dataset", title, arguments, project=project)


def add_errors(request: HttpRequest, form: ResultsDatasetForm) -> None:
    """Add the form's errors to the messages, for pages that show the form without them."""
    for error in form.errors.get("name", []):
        messages.error(request, _("Name of the dataset: %(error)s") % {"error": error})
    for error in form.errors.get("least", []):
        messages.error(request, _("Minimum number of agreeing responses: %(error)s") % {"error": error})
