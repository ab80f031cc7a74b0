"""The button that imports the example dataset into a new project."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.demo.example_set import example_dataset
from annotation.flow.errors import Refused
from annotation.models import Project
from annotation.views.access import requester_required
from annotation.views.redirects import see


@require_POST
@requester_required
def dataset_example(request: HttpRequest, project: Project) -> HttpResponse:
    """Import the example dataset, and continue with the first batch on it."""
    try:
        row = example_dataset(project, request.user)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return see("datasets", project.slug)
    messages.success(request, _("The example dataset was imported. All settings below are suggestions."))
    return HttpResponseRedirect(f"{reverse('batch-new', args=[project.slug])}?dataset={row.slug}", status=303)
